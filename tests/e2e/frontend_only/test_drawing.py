"""A join of two streams with a window is drawn from nothing: with the mouse, and with the keyboard alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Route, expect

pytestmark = [pytest.mark.integration, pytest.mark.e2e, pytest.mark.timeout(300)]

DRAWN = (
    "op: join",
    "left: ticks",
    "right: clicks",
    "symbol: symbol",
    "op: aggregate",
    "input: join",
    "live: {input: aggregate, to: result}",
)


@pytest.fixture
def page(mock: str, browser: Browser) -> Iterator[Page]:
    """The drawing of a new job; the console must stay silent."""
    context = browser.new_context(
        base_url=mock, viewport={"width": 1600, "height": 1000}, reduced_motion="reduce"
    )
    page = context.new_page()
    complaints: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        # The browser itself tells an answer that a test refuses.
        if message.type in ("error", "warning") and "status of 422" not in message.text:
            complaints.append(message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/w/demo/jobs/new/drawing")
    expect(page.get_by_role("application", name="Drawing of the job")).to_be_visible(timeout=20_000)
    yield page
    context.close()
    assert not complaints, "\n".join(complaints)


def test_a_join_with_a_window_is_drawn_with_the_mouse(page: Page) -> None:
    _drag(page, "ticks", 140, 60)
    _drag(page, "clicks", 140, 420)
    _drag(page, "Join two streams", 440, 200)
    _connect(page, "ticks", "out:", "join", "in:left")
    _connect(page, "clicks", "out:", "join", "in:right")
    page.get_by_role("button", name="Match symbol").click()
    page.get_by_role("button", name="Tidy").click()
    page.get_by_role("button", name="Fit").click()
    _node(page, "join").locator("header").click()
    page.get_by_role("option", name="Aggregate").click()
    expect(_node(page, "aggregate")).to_be_focused()
    expect(_node(page, "aggregate")).to_contain_text("On every update")
    page.get_by_role("button", name="Fit").click()
    _connect(page, "aggregate", "out:", "output:live", "in:input")
    _expect_drawn(page)


def test_a_join_with_a_window_is_drawn_with_the_keyboard(page: Page) -> None:
    palette = page.get_by_role("combobox", name="Add to the job")
    palette.focus()
    _type(page, "ticks")
    expect(_node(page, "ticks")).to_be_focused()
    page.keyboard.press("a")
    expect(palette).to_be_focused()
    _type(page, "clicks")
    expect(_node(page, "clicks")).to_be_focused()
    page.keyboard.press("a")
    _type(page, "lines")  # with it there are two that a join may mean, so it is told
    expect(_node(page, "lines")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(_node(page, "clicks")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(_node(page, "ticks")).to_be_focused()
    page.keyboard.press("a")
    _type(page, "join two")
    expect(_node(page, "join")).to_be_focused()
    page.keyboard.press("c")
    expect(page.get_by_role("combobox", name="Connect join")).to_be_focused()
    _type(page, "clicks right")
    expect(_node(page, "join")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Step name")).to_be_focused()
    page.get_by_role("button", name="Match symbol").press("Enter")
    page.keyboard.press("Escape")
    expect(_node(page, "join")).to_be_focused()
    page.keyboard.press("a")
    _type(page, "aggregate")
    expect(_node(page, "aggregate")).to_be_focused()
    _expect_drawn(page)


def test_an_edge_takes_a_step_and_a_deleted_step_joins_its_neighbours(page: Page) -> None:
    page.get_by_role("option", name="ticks").click()
    page.get_by_role("button", name="From ticks to live, 5 fields").click()
    page.get_by_role("menuitem", name="Insert step").click()
    page.get_by_role("combobox", name="Insert step").fill("filter")
    page.keyboard.press("Enter")
    expect(_node(page, "filter")).to_be_focused()
    expect(_node(page, "output:live")).to_have_attribute("aria-label", "live, Live result; reads filter")
    page.keyboard.press("Control+c")
    page.keyboard.press("Delete")
    expect(_node(page, "output:live")).to_have_attribute("aria-label", "live, Live result; reads ticks")
    expect(_node(page, "ticks")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(_node(page, "output:live")).to_have_attribute("aria-label", "live, Live result; reads filter")
    page.keyboard.press("Control+v")
    expect(_node(page, "filter_2")).to_be_focused()
    expect(page.get_by_role("status").filter(has_text="Pasted 1 node")).to_be_attached()
    page.get_by_role("link", name="YAML", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("textbox", name="Job document, YAML")).not_to_contain_text("filter_2")


def test_who_may_edit_a_job_moves_its_nodes_for_everybody(page: Page) -> None:
    page.goto("/w/demo/jobs/stock/graph")
    node = _node(page, "ticks")
    expect(node).to_be_visible(timeout=20_000)
    node.focus()
    with page.expect_response(lambda answer: answer.url.endswith("/jobs/stock/drawing")) as saved:
        page.keyboard.press("Alt+ArrowDown")
        page.keyboard.press("Alt+ArrowDown")
    assert saved.value.request.method == "PATCH"
    moved = node.evaluate("node => node.style.transform")
    page.reload()
    expect(node).to_be_visible(timeout=20_000)
    assert node.evaluate("node => node.style.transform") == moved
    page.get_by_role("button", name="Tidy").click()
    page.get_by_role("button", name="Undo", exact=True).click()
    assert node.evaluate("node => node.style.transform") == moved
    with page.expect_response(lambda answer: answer.url.endswith("/jobs/stock/drawing")):
        page.get_by_role("button", name="Tidy").click()


def test_positions_that_cannot_be_saved_stay_and_say_so(page: Page) -> None:
    page.route("**/jobs/stock/drawing", lambda route: _refuse(route))
    page.goto("/w/demo/jobs/stock/graph")
    node = _node(page, "ticks")
    node.focus(timeout=20_000)
    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_text("Positions not saved")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Positions not saved")).to_have_count(0)
    page.get_by_role("button", name="Tidy").click()


def test_a_viewer_moves_nodes_in_the_own_browser_alone(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    page.goto("/w/lab/jobs/stock/graph")
    _node(page, "ticks").focus(timeout=20_000)
    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_text("moved in this browser only")).to_be_visible()
    page.reload()
    expect(page.get_by_text("moved in this browser only")).to_be_visible(timeout=20_000)
    assert not [one for one in asked if one.startswith("PATCH")]


def _refuse(route: Route) -> None:
    if route.request.method == "PATCH":
        route.fulfill(status=422, json={"code": "BUSY", "detail": "Not now.", "status": 422})
    else:
        route.continue_()


def _node(page: Page, name: str) -> Locator:
    return page.locator(f'.react-flow__node[data-id="{name}"]')


def _drag(page: Page, name: str, x: int, y: int) -> None:
    offer = page.get_by_role("listbox", name="Add to the job").get_by_role("option", name=name)
    offer.first.drag_to(page.locator(".react-flow__pane"), target_position={"x": x, "y": y})


def _connect(page: Page, source: str, port: str, target: str, input_: str) -> None:
    start = _node(page, source).locator(f'[data-handleid="{port}"]')
    end = _node(page, target).locator(f'[data-handleid="{input_}"]')
    start.hover()
    page.mouse.down()
    end.hover()
    expect(end).to_have_attribute("data-state", "fits")
    page.mouse.up()


def _type(page: Page, words: str) -> None:
    """Searches the list that has the focus and takes its first choice."""
    page.keyboard.type(words)
    page.keyboard.press("Enter")


def _expect_drawn(page: Page) -> None:
    page.get_by_role("link", name="YAML", exact=True).click()
    editor = page.get_by_role("textbox", name="Job document, YAML")
    for line in DRAWN:
        expect(editor).to_contain_text(line)
