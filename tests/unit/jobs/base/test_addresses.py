import pytest

from jobs.base.addresses import is_public, is_usable, plain_address


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("fe80::1%eth0", "fe80::1"),
        ("2606:4700:4700::1111", "2606:4700:4700::1111"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("64:ff9b::a00:1", "10.0.0.1"),
        ("2002:a00:1::", "10.0.0.1"),
        ("2001:0:53aa:64c:0:0:f5ff:fffe", "10.0.0.1"),
    ],
)
def test_an_address_is_where_its_packets_go(text: str, plain: str) -> None:
    assert str(plain_address(text)) == plain


@pytest.mark.parametrize(
    "text",
    [
        "fec0::1",  # site-local
        "feff::1",
        "fd00::1",
        "192.88.99.1",
        "::ffff:192.88.99.1",
        "64:ff9b:1::a00:1",  # a network's own NAT64
        "5f00::1",  # segment identifiers
        "3fff::1",  # documentation
        "2001:db8::1",
        "100::1",
        "100.64.0.1",
        "198.18.0.1",
        "192.0.0.8",
        "10.0.0.1",
        "127.0.0.1",
        "::1",
    ],
)
def test_what_is_not_of_the_public_internet(text: str) -> None:
    assert not is_public(plain_address(text))
    assert not is_usable(plain_address(text), private_allowed=False)


@pytest.mark.parametrize("text", ["8.8.8.8", "2606:4700:4700::1111", "2a00:1450:4001::1", "64:ff9b::808:808"])
def test_what_is(text: str) -> None:
    assert is_public(plain_address(text))
    assert is_usable(plain_address(text), private_allowed=False)


@pytest.mark.parametrize(
    ("text", "usable"),
    [
        ("10.0.0.1", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("fec0::1", True),
        ("fe80::1", False),
        ("::2", False),
    ],
)
def test_private_addresses_where_they_are_allowed(text: str, usable: bool) -> None:
    assert is_usable(plain_address(text), private_allowed=True) is usable
