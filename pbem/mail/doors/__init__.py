"""The doors that letters come in by: SMTP or LMTP (``lmtp``), IMAP (``imap``), HTTP (``webhook``).

A door takes bytes, hands them to ``intake.take``, and tells the sender what to do next. What a
letter means is decided in ``pbem.mail.gateway``.
"""
