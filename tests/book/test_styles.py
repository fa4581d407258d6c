"""The sheets of the theme are joined, and rules that no page uses are left out."""

from pathlib import Path

import pytest

from ttv.styles import joined, used_rules, with_one


@pytest.mark.parametrize(
    ("css", "left"),
    [
        (".a .b { top: 0 }", ""),
        (".a, .b, p.a > i { top: 0 }", ".a,p.a > i{ top: 0 }"),
        ("#b { top: 0 } #a { left: 0 }", "#a{ left: 0 }"),
        (".a:not(.b, .b .a) { top: 0 }", ".a:not(.b, .b .a){ top: 0 }"),
        (".a:has(.a), legend+*, legend + p { top: 0 }", "legend + p{ top: 0 }"),
        (":is(.b, .a) p { top: 0 }", ":is(.b, .a) p{ top: 0 }"),
        ('[data-x=".b"] { top: 0 }', '[data-x=".b"]{ top: 0 }'),
        ("[x='1,2'].b, [x='1,2'] { top: 0 }", "[x='1,2']{ top: 0 }"),
        (".a::before { content: '} .b {' }", ".a::before{ content: '} .b {' }"),
        (
            "@media print { @supports (top: 0) { .a { top: 0 } .b { top: 0 } } }",
            "@media print{@supports (top: 0){.a{ top: 0 }}}",
        ),
        ("@media print { .b { top: 0 } }", ""),
        ("@keyframes b { 0% { top: 0 } to { top: 1px } }",
         "@keyframes b{ 0% { top: 0 } to { top: 1px } }"),
        ('@charset "UTF-8"; .a { top: 0 }', ".a{ top: 0 }"),
        (".a { background: url(data:image/svg+xml;x) }",
         ".a{ background: url(data:image/svg+xml;x) }"),
    ],
)  # fmt: skip
def test_rules_are_kept_if_a_page_may_use_them(css: str, left: str) -> None:
    assert used_rules(css, {"a"}) == left


def test_sheets_are_joined_in_order_and_their_addresses_still_lead_there(tmp_path: Path) -> None:
    (tmp_path / "styles").mkdir()
    (tmp_path / "styles" / "first.css").write_text(
        "@import url('../base.css'); a { top: 0 } /* @import url('c.css'); { */"
    )
    (tmp_path / "base.css").write_text("b { background: url(file.png) }")
    (tmp_path / "styles" / "second.css").write_text(
        "c { background: url('../file.png') } d { background: url(\"data:x\") }"
    )
    css = joined(tmp_path, ["styles/first.css", "styles/second.css"])
    assert used_rules(css, set()) == (
        "b{ background: url(file.png) }a{ top: 0 }"
        'c{ background: url(file.png) }d{ background: url("data:x") }'
    )


def test_a_page_gets_the_joined_sheet_where_the_first_was_and_later_a_newer_one() -> None:
    page = "".join(
        f'<link rel="stylesheet" type="text/css" href="../_static/{name}?v=1" />\n'
        for name in ("styles/theme.css", "basic.css", "fonts/fonts.css", "book.css", "print.css")
    )
    one = with_one(page, "12")
    links = [line.partition("_static/")[2].partition('"')[0] for line in one.splitlines()]
    assert links == ["theme.css?v=12", "print.css?v=1"]
    assert with_one(one, "34") == one.replace("v=12", "v=34")
