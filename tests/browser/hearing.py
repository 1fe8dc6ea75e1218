"""What a screen reader would say of a page by itself: what changes in its live regions."""

from __future__ import annotations

from typing import Any

#: Notes each text that comes into a live region. A text that is taken away is not said.
LISTEN = """() => {
  window.heard = [];
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      const region = (target.closest ? target : target.parentElement).closest("[aria-live]");
      if (!region || region.getAttribute("aria-live") === "off") continue;
      const parts = [...addedNodes]
        .flatMap((one) => one.children?.length ? [...one.children] : one);
      const said = parts.map((one) => one.textContent).join(" ").trim();
      if (said) window.heard.push(said);
    }
  }).observe(document.body, { subtree: true, childList: true });
}"""


def listen(page: Any) -> None:
    page.evaluate(LISTEN)


def heard(page: Any) -> list[str]:
    """What was said since it was asked last, in its order."""
    said: list[str] = page.evaluate("() => window.heard.splice(0)")
    return said
