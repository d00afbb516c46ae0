import pytest

from jobs.base.addresses import plain_address


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
