"""What a worker does with a task whose end it could not tell the broker."""

from __future__ import annotations

from typing import Any

from kombu.transport import redis, virtual


class ForgivingQoS(redis.QoS):
    """Lets go of a task though the broker did not hear that it ended.

    The broker went away while the task ran. Without this the task would be counted as being worked
    on for good: with ``prefetch`` 1 the worker would never fetch another, on no new connection
    either, while its heart beats on. The broker hands the task out again if it remembers it, which
    does no harm.
    """

    def ack(self, delivery_tag: Any) -> None:
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        except Exception:
            virtual.QoS.ack(self, delivery_tag)  # type: ignore[no-untyped-call]
            raise


def install() -> None:
    """Makes all connections of this process forgiving."""
    redis.Channel.QoS = ForgivingQoS
