"""What the scripts of all games' turn pages share, asked for in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Site
from tests.browser.hearing import heard, listen

pytestmark = pytest.mark.browser


def test_one_order_is_sent_from_the_list_or_from_the_text_field(site: Site, page: Any) -> None:
    match = site.running()
    page.goto(site.turn_url(match, 0))
    page.eval_on_selector_all("#move input[type=radio]", "all => all.map(one => one.disabled = 0)")
    sent = "[...new FormData(turn.form).getAll('order')].filter(Boolean)"
    listed = site.orders(match, 0)

    page.evaluate("turn.write('give A')")
    written = page.evaluate(sent)
    page.evaluate("turn.choose(document.querySelector('#move input[type=radio]'))")
    chosen = page.evaluate(sent)
    page.fill("#order", listed[1])

    assert (written, chosen, page.evaluate(sent)) == (["give A"], listed[:1], listed[1:2])


def test_a_preview_says_what_the_order_is_called_and_does_or_why_it_is_refused(
    site: Site, page: Any
) -> None:
    match = site.running()
    order = site.orders(match, 0)[0]
    page.goto(site.turn_url(match, 0))

    told = page.evaluate("order => turn.preview({ order })", order.upper())
    page.fill("#order", "give nothing")
    of_the_form = page.evaluate("turn.preview()")

    assert (told["order"], told["effect"]) == (order, "")
    assert told["sentences"]
    assert set(of_the_form) == {"problem"}
    assert of_the_form["problem"].startswith("A gift is written as in give ")
    assert site.match(match.id).ply == 0


def test_an_answer_counts_only_while_nothing_else_was_asked_or_chosen(
    site: Site, page: Any
) -> None:
    match = site.running()
    order = site.orders(match, 0)[0]
    page.goto(site.turn_url(match, 0))

    overtaken = page.evaluate(
        "order => Promise.all([turn.preview({ order }), turn.preview({ order })])", order
    )
    page.evaluate("order => { window.late = turn.preview({ order }); turn.forget(); }", order)
    page.context.set_offline(True)

    assert overtaken[0] is None
    assert overtaken[1]["order"] == order
    assert page.evaluate("window.late") is None
    assert page.evaluate("order => turn.preview({ order })", order) is None


def test_values_of_the_page_are_read_and_texts_filled_in(site: Site, page: Any) -> None:
    page.goto(site.turn_url(site.running(), 0))

    filled = page.evaluate("turn.fill('{who} → {place} ({who})', { who: 'Bob', place: 12 })")
    page.evaluate(
        """() => {
          const block = document.createElement("script");
          block.type = "application/json";
          block.id = "lists";
          block.textContent = '{"places": [1, 2]}';
          document.body.append(block);
        }"""
    )

    assert filled == "Bob → 12 (Bob)"
    assert page.evaluate("turn.values('lists')") == {"places": [1, 2]}
    assert page.evaluate("turn.values('nothing')") == {}


def test_what_is_missing_is_heard_by_who_presses_preview_too_early(site: Site, page: Any) -> None:
    page.goto(site.turn_url(site.running(), 0))
    shown = page.inner_text("#say span")
    listen(page)

    page.focus("#preview")
    page.keyboard.press("Enter")

    assert heard(page) == [shown]
    assert page.locator("#confirm").count() == 0


def test_a_title_and_its_detail_are_heard_as_one_and_what_stands_there_is_not(
    site: Site, page: Any
) -> None:
    page.goto(site.turn_url(site.running(), 0))
    listen(page)

    for _ in range(2):
        page.evaluate("turn.say('Knight', 'Where to?')")

    assert heard(page) == ["Knight Where to?"]


def test_an_order_that_is_typed_is_ready_once_and_not_with_each_letter(
    site: Site, page: Any
) -> None:
    page.goto(site.turn_url(site.running(), 0))
    page.focus("#order")
    listen(page)

    page.keyboard.type("give")

    assert heard(page) == ["Ready: see what it would do."]
