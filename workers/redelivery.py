"""What a worker does with a task that it could not acknowledge to the broker."""

from __future__ import annotations

from typing import Any

from kombu.transport import redis, virtual


class ForgivingQoS(redis.QoS):
    """Lets go of a task whose acknowledgement failed because the broker went away.

    Without this the task would count as running for ever: with ``prefetch`` 1 the worker would
    never fetch another, not even on a new connection, while its heartbeat goes on. The broker may
    deliver the task again, which does no harm.
    """

    def ack(self, delivery_tag: Any) -> None:
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        except Exception:
            virtual.QoS.ack(self, delivery_tag)  # type: ignore[no-untyped-call]
            raise


def install() -> None:
    """Makes all broker connections of this process use ``ForgivingQoS``."""
    redis.Channel.QoS = ForgivingQoS
