# Generated from _async by scripts/unasync.py. DO NOT EDIT.
"""Webhook endpoints."""

from __future__ import annotations

from collections.abc import Sequence

from .._paging import DELIVERIES
from .._request import Request, number
from ..types import (
    WebhookDeliveries,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEndpoints,
    WebhookEndpointWithSecret,
    WebhookEventTypeParam,
)
from ..webhooks import Webhooks
from ._pager import Page, pager
from ._raw import raw
from ._transport import Transport


class WebhookService(Webhooks):
    """The webhook endpoints of the account, and verification of webhooks.

    Requests that create or send something are only retried after 429, because the registry may have
    processed the first.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> WebhookServiceWithRawResponse:
        """The same methods, returning the raw response."""
        return WebhookServiceWithRawResponse(self)

    def list(self) -> WebhookEndpoints:
        """Return all endpoints: ``GET /v1/webhooks``."""
        return self._transport.get(Request("GET", "/v1/webhooks"), WebhookEndpoints)

    def create(
        self,
        *,
        url: str,
        description: str | None = None,
        events: Sequence[WebhookEventTypeParam] | None = None,
        servers: Sequence[str] | None = None,
        search: str | None = None,
        enabled: bool | None = None,
    ) -> WebhookEndpointWithSecret:
        """Create an endpoint: ``POST /v1/webhooks``.

        Only this and ``rotate`` return the secret.

        Args:
            url: https, with a public host name.
            description: At most 200 characters.
            events: Types of the events to send. Default: all.
            servers: IDs of servers. Default: all.
            search: Name of a custom endpoint: only events of its servers. Not together with
                ``servers``.
            enabled: Default: True.
        """
        body = {
            "url": url,
            "description": description,
            "events": events,
            "servers": servers,
            "search": search,
            "enabled": enabled,
        }
        request = Request("POST", "/v1/webhooks", body=body, once=True)
        return self._transport.get(request, WebhookEndpointWithSecret)

    def retrieve(self, id: int) -> WebhookEndpoint:
        """Return an endpoint: ``GET /v1/webhooks/{id}``.

        Args:
            id: ID of the endpoint.
        """
        return self._transport.get(Request("GET", _path(id)), WebhookEndpoint)

    def replace(
        self,
        id: int,
        *,
        url: str,
        description: str | None = None,
        events: Sequence[WebhookEventTypeParam] | None = None,
        servers: Sequence[str] | None = None,
        search: str | None = None,
        enabled: bool | None = None,
    ) -> WebhookEndpoint:
        """Replace all settings of an endpoint: ``PUT /v1/webhooks/{id}``.

        Omitted arguments are reset to their defaults; see ``create``.

        Args:
            id: ID of the endpoint.
            url: https, with a public host name.
            description: At most 200 characters.
            events: Types of the events to send. Default: all.
            servers: IDs of servers. Default: all.
            search: Name of a custom endpoint: only events of its servers.
            enabled: Default: True.
        """
        body = {
            "url": url,
            "description": description,
            "events": events,
            "servers": servers,
            "search": search,
            "enabled": enabled,
        }
        return self._transport.get(Request("PUT", _path(id), body=body), WebhookEndpoint)

    def delete(self, id: int) -> None:
        """Delete an endpoint and its deliveries: ``DELETE /v1/webhooks/{id}``.

        If the connection fails after the deletion, the retry raises
        NotFoundError.

        Args:
            id: ID of the endpoint.
        """
        self._transport.send(Request("DELETE", _path(id)))

    def rotate(self, id: int) -> WebhookEndpointWithSecret:
        """Replace the secret of an endpoint: ``POST /v1/webhooks/{id}/rotate``.

        For 24 hours, deliveries are signed with both.

        Args:
            id: ID of the endpoint.
        """
        request = Request("POST", f"{_path(id)}/rotate", once=True)
        return self._transport.get(request, WebhookEndpointWithSecret)

    def test(self, id: int) -> WebhookDelivery:
        """Send a webhook.test event: ``POST /v1/webhooks/{id}/test``.

        Args:
            id: ID of the endpoint.
        """
        request = Request("POST", f"{_path(id)}/test", once=True)
        return self._transport.get(request, WebhookDelivery)

    def deliveries(
        self, id: int, *, limit: int | None = None, before: int | None = None
    ) -> Page[WebhookDelivery, WebhookDeliveries]:
        """List the latest deliveries: ``GET /v1/webhooks/{id}/deliveries``.

        Args:
            id: ID of the endpoint.
            limit: Page size, 1 to 100. Default: 20.
            before: Continues after the page with this ``before``.
        """
        request = Request("GET", f"{_path(id)}/deliveries", {"limit": limit, "before": before})
        return pager(
            lambda: self._transport.page(
                request, WebhookDeliveries, "deliveries", before, DELIVERIES
            )
        )

    def resend(self, id: int, delivery: int) -> WebhookDelivery:
        """Send a delivery again, with the same event ID.

        The request is ``POST /v1/webhooks/{id}/deliveries/{delivery}/resend``.

        Args:
            id: ID of the endpoint.
            delivery: ID of the delivery.
        """
        path = f"{_path(id)}/deliveries/{number('delivery', delivery)}/resend"
        return self._transport.get(Request("POST", path, once=True), WebhookDelivery)


class WebhookServiceWithRawResponse:
    """The methods for webhook endpoints, returning the raw response."""

    def __init__(self, webhooks: WebhookService) -> None:
        self.list = raw(webhooks.list)
        self.create = raw(webhooks.create)
        self.retrieve = raw(webhooks.retrieve)
        self.replace = raw(webhooks.replace)
        self.delete = raw(webhooks.delete)
        self.rotate = raw(webhooks.rotate)
        self.test = raw(webhooks.test)
        self.deliveries = raw(webhooks.deliveries)
        self.resend = raw(webhooks.resend)


def _path(id: int) -> str:
    return f"/v1/webhooks/{number('id', id)}"
