"""The content security policy: our own files, and nothing inline."""

_OURS = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; "
)
#: Every page.
POLICY = _OURS + "frame-ancestors 'none'"
#: The page of the embedded mailbox that shows a mail in a frame.
FRAMING_PAGE = POLICY + "; frame-src 'self'"
#: A mail in that frame: its own styles and pictures, no script, no form; its links open above it.
FRAMED_MAIL = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation allow-popups"
)
