"""What is typed while something is made or saved stays, and nobody's own save is called another's."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.processes import wait_until
from tests.support.sound_page import require_sound

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]
SOON = 20_000


def _held(page: Page, path: re.Pattern[str], method: str) -> list[Route]:
    """Requests of this method that wait for their answer."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == method:
            waiting.append(route)
        else:
            route.fallback()

    page.route(path, hold)
    return waiting


def _answer(page: Page, waiting: list[Route], **change: Any) -> None:
    [route] = waiting
    response = route.fetch()
    route.fulfill(response=response, json=response.json() | change)


def _read(page: Page, path: re.Pattern[str], change: Any) -> None:
    """Answers of this path say what `change` makes of them."""

    def answer(route: Route) -> None:
        if route.request.method != "GET":
            route.fallback()
            return
        response = route.fetch()
        route.fulfill(response=response, json=change(response.json()))

    page.route(path, answer)


def test_what_is_typed_while_a_job_is_created_is_the_draft_of_the_job(page: Page) -> None:
    page.goto("/w/demo/jobs/new")
    page.get_by_role("button", name="Edit a copy").first.click()
    editor = page.get_by_label("Job document, YAML")
    waiting = _held(page, re.compile(r"/workspaces/demo/jobs$"), "POST")
    expect(page.get_by_role("button", name="Create job")).to_be_enabled(timeout=SOON)
    page.get_by_role("button", name="Create job").click()
    editor.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("# one more thing\n")
    _answer(page, waiting)
    expect(page).to_have_url(re.compile(r"/jobs/\w+/document\?edit=1"), timeout=SOON)
    expect(editor).to_contain_text("# one more thing")
    expect(page.get_by_text("was saved meanwhile")).to_have_count(0)
    page.goto("/w/demo/jobs/new/text")
    expect(page.get_by_text("Draft saved in this browser")).to_have_count(0)


def test_what_is_typed_while_a_rule_is_created_is_the_draft_of_the_rule(page: Page) -> None:
    page.goto("/w/demo/alerts/rules")
    page.get_by_role("button", name="New rule").click()
    new = page.get_by_role("dialog", name="New rule")
    new.get_by_role("textbox", name="Name", exact=True).fill("First")
    new.get_by_text("Metric", exact=True).first.click()
    waiting = _held(page, re.compile(r"/alert-rules$"), "POST")
    new.get_by_role("button", name="Create rule").click()
    new.get_by_role("textbox", name="Name", exact=True).fill("Second")
    _answer(page, waiting)
    edited = page.get_by_role("dialog", name="Edit rule")
    expect(edited.get_by_role("textbox", name="Name", exact=True)).to_have_value("Second", timeout=SOON)
    expect(edited.get_by_text("was saved meanwhile")).to_have_count(0)


def test_a_rule_saved_meanwhile_is_said(page: Page) -> None:
    page.goto("/w/demo/alerts/rules")
    page.get_by_role("button", name="Edit").first.click()
    form = page.get_by_role("dialog", name="Edit rule")
    name = form.get_by_role("textbox", name="Name", exact=True)
    name.fill("Mine")
    theirs = {"name": "Theirs", "revision": 99, "changed_by": "bob"}
    _read(
        page,
        re.compile(r"/alert-rules$"),
        lambda body: body | {"results": [body["results"][0] | theirs, *body["results"][1:]]},
    )
    notice = form.get_by_text("Rule was saved meanwhile by bob")

    def is_told() -> bool:
        page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
        return notice.is_visible()

    wait_until(is_told, 20, "the page that is seen again reads the rules again")
    expect(form.get_by_role("button", name="Save rule")).to_be_disabled()
    form.get_by_role("button", name="Compare").click()
    expect(form.get_by_label("What was saved")).to_contain_text("Theirs")
    require_sound(page)
    form.get_by_role("button", name="Use saved rule").click()
    page.get_by_role("dialog", name="Use saved rule?").get_by_role("button", name="Discard my draft").click()
    expect(name).to_have_value("Theirs")


def test_only_the_contract_that_was_checked_is_saved_against_its_impact(page: Page) -> None:
    fits = {"error": None, "records": 0, "skipped": 0, "valid": 0, "malformed": []}
    page.route(re.compile(r"/samples/validate$"), lambda route: route.fulfill(json=fits))
    page.goto("/w/demo/streams/ticks/contract?edit=1")
    waiting = _held(page, re.compile(r"/streams/ticks/impact$"), "POST")
    page.get_by_role("button", name="Remove ask").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Remove bid").click()
    _answer(page, waiting)
    question = page.get_by_role("dialog", name="Save breaking change?")
    expect(question).to_contain_text("This breaks order-totals", timeout=SOON)
    with page.expect_request(lambda request: request.method == "PATCH") as saving:
        question.get_by_role("button", name="Save anyway").click()
    saved = saving.value.post_data_json
    assert [field["name"] for field in saved["contract"]["fields"]] == ["symbol", "kind", "bid", "at"]
    expect(question).to_have_count(0)
    expect(page.get_by_role("button", name="Remove at")).to_be_visible()
    expect(page.get_by_role("button", name="Remove bid")).to_have_count(0)


def test_only_the_schema_that_was_checked_is_registered_against_its_impact(page: Page) -> None:
    page.goto("/w/demo/schemas/orders-value")
    register = page.get_by_role("button", name="Register", exact=True)
    schema = page.get_by_label("Schema", exact=True)
    waiting = _held(page, re.compile(r"/schemas/orders-value/check$"), "POST")
    schema.fill('{"must": 1, "name": ""}')
    register.click()
    schema.fill('{"must": 2, "name": ""}')
    _answer(page, waiting)
    question = page.get_by_role("dialog", name="Register breaking schema?")
    expect(question).to_contain_text("This breaks order-totals", timeout=SOON)
    with page.expect_request(re.compile(r"/schemas/orders-value/versions$")) as registering:
        question.get_by_role("button", name="Register anyway").click()
    assert registering.value.post_data_json["schema"] == '{"must": 1, "name": ""}'
    expect(question).to_have_count(0)
    expect(schema).to_have_value('{"must": 2, "name": ""}')


@pytest.mark.parametrize("what", ["cluster", "receiver"])
def test_a_save_is_not_somebody_elses(page: Page, what: str) -> None:
    if what == "cluster":
        page.goto("/w/demo/admin/clusters?cluster=c1")
        page.route(
            re.compile(r"/clusters/test$"),
            lambda route: route.fulfill(
                json={"ok": True, "checks": [], "topics": 3, "raw": "", "elapsed_ms": 9}
            ),
        )
        name = page.get_by_role("textbox", name="Name", exact=True)
    else:
        page.goto("/w/demo/admin/openlineage")
        page.get_by_role("button", name="Change", exact=True).click()
        name = page.get_by_role("textbox", name="Job namespace")
    name.fill("first")
    if what == "cluster":
        page.get_by_role("button", name="Test connection").click()
    waiting = _held(page, re.compile(r"/(clusters/c1|openlineage)$"), "PUT")
    save = page.get_by_role("button", name=re.compile(r"^Save"))
    save.click()
    name.fill("second")
    _read(page, re.compile(r"/(clusters|openlineage)$"), _at_second)
    _answer(page, waiting, revision=2)
    expect(save).not_to_have_attribute("data-loading", "true", timeout=SOON)
    expect(name).to_have_value("second")
    expect(page.get_by_text("was saved meanwhile")).to_have_count(0)


def _at_second(body: Any) -> Any:
    if "receiver" in body:
        return {"receiver": body["receiver"] | {"revision": 2}}
    return {"results": [one | {"revision": 2} for one in body["results"]]}


def test_fields_that_were_typed_are_replaced_after_one_question(page: Page) -> None:
    fits = {"error": None, "records": 0, "skipped": 0, "valid": 0, "malformed": []}
    page.route(re.compile(r"/samples/validate$"), lambda route: route.fulfill(json=fits))
    page.goto("/w/demo/new-stream")
    page.get_by_role("combobox", name="Topic", exact=True).click(timeout=SOON)
    page.get_by_role("option", name="demo.ticks", exact=True).click()
    infer = page.get_by_role("button", name="Infer fields from records")
    names = page.get_by_role("textbox", name="Field name")
    infer.click()
    expect(names.first).to_have_value("symbol", timeout=SOON)
    names.first.fill("ticker")
    infer.click()
    question = page.get_by_role("dialog", name="Replace fields?")
    question.get_by_role("button", name="Cancel", exact=True).click()
    expect(question).to_have_count(0)
    expect(names.first).to_have_value("ticker")
    infer.click()
    question.get_by_role("button", name="Replace fields").click()
    expect(names.first).to_have_value("symbol", timeout=SOON)
