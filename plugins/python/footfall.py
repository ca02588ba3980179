"""The API of Footfall, for Python 3.8 and later, with the standard library alone. MIT License.

    from footfall import Footfall, FootfallError

    footfall = Footfall("https://stats.example.com", os.environ["FOOTFALL_KEY"])
    stats = footfall.get_stats(site_id="site_...", period="7d")["data"]

Every method returns the answer as /docs on your server describes it. `get_stats` and others take `filter` as a mapping, and `filters` as a
list of mappings.
"""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Mapping, Optional, Sequence

__version__ = "0.0.0"

ATTEMPTS = 3
#: The longest wait that a server can ask for. A longer one ends with the error.
MAX_WAIT_SECONDS = 30.0


class FootfallError(Exception):
    """An answer that is no success. `status` is 0, and `code` is "unreachable", if there was none."""

    def __init__(self, status: int, code: str, message: str):
        super().__init__(message)
        self.status = status
        self.code = code


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key must not follow a redirect."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Client:
    """`timeout` is in seconds, for each of up to three attempts. Requests that may not be repeated are sent again only if they were refused."""

    def __init__(self, server: str, key: str, timeout: float = 10.0):
        self._server = server.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    def _ask(
        self,
        method: str,
        path: str,
        sent: Mapping[str, Any],
        has_body: bool = False,
        idempotency_key: Optional[str] = None,
        is_file: bool = False,
    ) -> Any:
        given = {name: value for name, value in sent.items() if value is not None}
        for name in [name for name in given if "{" + name + "}" in path]:
            path = path.replace("{" + name + "}", urllib.parse.quote(str(given.pop(name)), safe=""))
        headers = {"Authorization": "Bearer " + self._key, "Accept": "*/*" if is_file else "application/json"}
        body = None
        if has_body:
            body = json.dumps(given).encode()
            headers["Content-Type"] = "application/json"
        elif given:
            path += "?" + urllib.parse.urlencode(_query(given))
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        may_repeat = method != "POST" or idempotency_key is not None
        for attempt in range(1, ATTEMPTS + 1):
            request = urllib.request.Request(self._server + path, data=body, headers=headers, method=method)
            try:
                with self._opener.open(request, timeout=self._timeout) as answer:
                    content = answer.read()
                    return content if is_file else json.loads(content)
            except urllib.error.HTTPError as failure:
                error = _error_of(failure)
                wait = _seconds(failure.headers.get("Retry-After"), attempt)
                again = error.status == 429 or (may_repeat and error.status >= 500)
            except OSError as failure:
                error = FootfallError(0, "unreachable", "The server cannot be reached: %s" % failure)
                wait = _seconds(None, attempt)
                again = may_repeat
            if not again or attempt == ATTEMPTS or wait > MAX_WAIT_SECONDS:
                raise error
            time.sleep(wait)


def _query(given: Mapping[str, Any]) -> Dict[str, str]:
    """Lists are separated by commas, lists of mappings are JSON, and a mapping is one parameter for each name."""
    query: Dict[str, str] = {}
    for name, value in given.items():
        if isinstance(value, Mapping):
            query.update({"%s[%s]" % (name, key): str(inner) for key, inner in value.items()})
        elif isinstance(value, (list, tuple)):
            has_mappings = any(isinstance(entry, Mapping) for entry in value)
            query[name] = json.dumps(value) if has_mappings else ",".join(map(str, value))
        else:
            query[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return query


def _error_of(failure: urllib.error.HTTPError) -> FootfallError:
    try:
        told = json.loads(failure.read())
        return FootfallError(failure.code, str(told["error"]), str(told["message"]))
    except (ValueError, KeyError, TypeError, OSError):
        return FootfallError(failure.code, "unknown", "The server answered with %d." % failure.code)


def _seconds(told: Optional[str], attempt: int) -> float:
    return float(told) if told is not None and told.isdigit() else 0.5 * 2 ** (attempt - 1)


class Footfall(_Client):
    """`Footfall(server, key)`: a method for each operation of the API."""

    # Generated from the OpenAPI document by `node server/api/clients/regenerate.ts`; do not edit.

    def list_sites(
        self,
        *,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List the sites of the account."""
        sent = {
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/sites", sent)

    def get_site(
        self,
        *,
        site_id: str,
    ) -> Dict[str, Any]:
        """Get one site."""
        sent = {
            "site_id": site_id,
        }
        return self._ask("GET", "/v1/sites/{site_id}", sent)

    def list_groups(
        self,
        *,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List the groups of sites of the account."""
        sent = {
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/groups", sent)

    def get_group_stats(
        self,
        *,
        group_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        timezone: Optional[str] = None,
        include_imported: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Get the totals of a group of sites, and of each of them."""
        sent = {
            "group_id": group_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "timezone": timezone,
            "include_imported": include_imported,
        }
        return self._ask("GET", "/v1/groups/{group_id}/stats", sent)

    def get_group_timeseries(
        self,
        *,
        group_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        timezone: Optional[str] = None,
        include_imported: Optional[str] = None,
        interval: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Get the numbers of a group of sites over time."""
        sent = {
            "group_id": group_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "timezone": timezone,
            "include_imported": include_imported,
            "interval": interval,
        }
        return self._ask("GET", "/v1/groups/{group_id}/timeseries", sent)

    def list_goals(
        self,
        *,
        site_id: str,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List the goals of a site."""
        sent = {
            "site_id": site_id,
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/goals", sent)

    def list_funnels(
        self,
        *,
        site_id: str,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List the funnels of a site."""
        sent = {
            "site_id": site_id,
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/funnels", sent)

    def list_segments(
        self,
        *,
        site_id: str,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List the segments of a site."""
        sent = {
            "site_id": site_id,
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/segments", sent)

    def get_funnel(
        self,
        *,
        funnel_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        compare: Optional[str] = None,
        compare_from: Optional[str] = None,
        compare_to: Optional[str] = None,
        versus: Optional[str] = None,
        timezone: Optional[str] = None,
        by: Optional[str] = None,
        segment: Optional[str] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
    ) -> Dict[str, Any]:
        """Get the figures of a funnel."""
        sent = {
            "funnel_id": funnel_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "compare": compare,
            "compare_from": compare_from,
            "compare_to": compare_to,
            "versus": versus,
            "timezone": timezone,
            "by": by,
            "segment": segment,
            "filter": filter,
            "filters": filters,
        }
        return self._ask("GET", "/v1/funnels/{funnel_id}", sent)

    def get_stats(
        self,
        *,
        site_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        timezone: Optional[str] = None,
        include_imported: Optional[str] = None,
        metric: Optional[str] = None,
        limit: Optional[int] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Get the totals and the top pages of a period."""
        sent = {
            "site_id": site_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "timezone": timezone,
            "include_imported": include_imported,
            "metric": metric,
            "limit": limit,
            "filter": filter,
            "filters": filters,
            "segment": segment,
        }
        return self._ask("GET", "/v1/stats", sent)

    def get_timeseries(
        self,
        *,
        site_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        compare: Optional[str] = None,
        compare_from: Optional[str] = None,
        compare_to: Optional[str] = None,
        versus: Optional[str] = None,
        timezone: Optional[str] = None,
        include_imported: Optional[str] = None,
        metrics: Optional[Sequence[str]] = None,
        interval: Optional[str] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
        currency: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Get metrics over time."""
        sent = {
            "site_id": site_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "compare": compare,
            "compare_from": compare_from,
            "compare_to": compare_to,
            "versus": versus,
            "timezone": timezone,
            "include_imported": include_imported,
            "metrics": metrics,
            "interval": interval,
            "filter": filter,
            "filters": filters,
            "segment": segment,
            "currency": currency,
        }
        return self._ask("GET", "/v1/stats/timeseries", sent)

    def get_breakdown(
        self,
        *,
        site_id: str,
        dimension: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        compare: Optional[str] = None,
        compare_from: Optional[str] = None,
        compare_to: Optional[str] = None,
        versus: Optional[str] = None,
        timezone: Optional[str] = None,
        include_imported: Optional[str] = None,
        metrics: Optional[Sequence[str]] = None,
        search: Optional[str] = None,
        order: Optional[str] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
        currency: Optional[str] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List the values of a dimension with their metrics."""
        sent = {
            "site_id": site_id,
            "dimension": dimension,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "compare": compare,
            "compare_from": compare_from,
            "compare_to": compare_to,
            "versus": versus,
            "timezone": timezone,
            "include_imported": include_imported,
            "metrics": metrics,
            "search": search,
            "order": order,
            "filter": filter,
            "filters": filters,
            "segment": segment,
            "currency": currency,
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/stats/breakdown", sent)

    def get_search_terms(
        self,
        *,
        site_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        compare: Optional[str] = None,
        compare_from: Optional[str] = None,
        compare_to: Optional[str] = None,
        versus: Optional[str] = None,
        timezone: Optional[str] = None,
        search: Optional[str] = None,
        order: Optional[str] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List the terms with which people find the site at Google."""
        sent = {
            "site_id": site_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "compare": compare,
            "compare_from": compare_from,
            "compare_to": compare_to,
            "versus": versus,
            "timezone": timezone,
            "search": search,
            "order": order,
            "filter": filter,
            "filters": filters,
            "segment": segment,
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/stats/search-terms", sent)

    def get_reading(
        self,
        *,
        site_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        timezone: Optional[str] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Get how page views were read."""
        sent = {
            "site_id": site_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "timezone": timezone,
            "filter": filter,
            "filters": filters,
            "segment": segment,
        }
        return self._ask("GET", "/v1/stats/reading", sent)

    def get_vitals(
        self,
        *,
        site_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        compare: Optional[str] = None,
        compare_from: Optional[str] = None,
        compare_to: Optional[str] = None,
        versus: Optional[str] = None,
        timezone: Optional[str] = None,
        dimension: Optional[str] = None,
        search: Optional[str] = None,
        order: Optional[str] = None,
        interval: Optional[str] = None,
        histogram: Optional[str] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List how fast pages felt: web vitals by page or another dimension."""
        sent = {
            "site_id": site_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "compare": compare,
            "compare_from": compare_from,
            "compare_to": compare_to,
            "versus": versus,
            "timezone": timezone,
            "dimension": dimension,
            "search": search,
            "order": order,
            "interval": interval,
            "histogram": histogram,
            "filter": filter,
            "filters": filters,
            "segment": segment,
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/stats/vitals", sent)

    def get_errors(
        self,
        *,
        site_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        compare: Optional[str] = None,
        compare_from: Optional[str] = None,
        compare_to: Optional[str] = None,
        versus: Optional[str] = None,
        timezone: Optional[str] = None,
        kind: Optional[str] = None,
        search: Optional[str] = None,
        order: Optional[str] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List errors of pages in the browsers of visitors."""
        sent = {
            "site_id": site_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "compare": compare,
            "compare_from": compare_from,
            "compare_to": compare_to,
            "versus": versus,
            "timezone": timezone,
            "kind": kind,
            "search": search,
            "order": order,
            "filter": filter,
            "filters": filters,
            "segment": segment,
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/stats/errors", sent)

    def get_week(
        self,
        *,
        site_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        timezone: Optional[str] = None,
        metrics: Optional[Sequence[str]] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
        currency: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Get metrics by weekday and hour."""
        sent = {
            "site_id": site_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "timezone": timezone,
            "metrics": metrics,
            "filter": filter,
            "filters": filters,
            "segment": segment,
            "currency": currency,
        }
        return self._ask("GET", "/v1/stats/week", sent)

    def get_journey(
        self,
        *,
        site_id: str,
        start: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        timezone: Optional[str] = None,
        direction: Optional[str] = None,
        steps: Optional[int] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
        segment: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Get where visits go from a page, an event or a goal."""
        sent = {
            "site_id": site_id,
            "start": start,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "timezone": timezone,
            "direction": direction,
            "steps": steps,
            "filter": filter,
            "filters": filters,
            "segment": segment,
        }
        return self._ask("GET", "/v1/stats/journey", sent)

    def get_ai_visits(
        self,
        *,
        site_id: str,
        period: Optional[str] = None,
        date_from: Optional[str] = None,
        date_to: Optional[str] = None,
        compare: Optional[str] = None,
        compare_from: Optional[str] = None,
        compare_to: Optional[str] = None,
        timezone: Optional[str] = None,
        interval: Optional[str] = None,
        filter: Optional[Mapping[str, Any]] = None,
        filters: Optional[Sequence[Mapping[str, Any]]] = None,
    ) -> Dict[str, Any]:
        """Get what AI providers read, and the visits they sent."""
        sent = {
            "site_id": site_id,
            "period": period,
            "date_from": date_from,
            "date_to": date_to,
            "compare": compare,
            "compare_from": compare_from,
            "compare_to": compare_to,
            "timezone": timezone,
            "interval": interval,
            "filter": filter,
            "filters": filters,
        }
        return self._ask("GET", "/v1/stats/ai-visits", sent)

    def ask(
        self,
        *,
        site_id: str,
        q: str,
    ) -> Dict[str, Any]:
        """Understand a question in plain words."""
        sent = {
            "site_id": site_id,
            "q": q,
        }
        return self._ask("GET", "/v1/ask", sent)

    def get_live(
        self,
        *,
        site_id: str,
    ) -> Dict[str, Any]:
        """Get the current visitors of a site."""
        sent = {
            "site_id": site_id,
        }
        return self._ask("GET", "/v1/live", sent)

    def export_day(
        self,
        *,
        site_id: str,
        day: str,
        table: Optional[str] = None,
        format: Optional[str] = None,
    ) -> bytes:
        """Get the rows of a day as a file."""
        sent = {
            "site_id": site_id,
            "day": day,
            "table": table,
            "format": format,
        }
        return self._ask("GET", "/v1/export", sent, is_file=True)

    def list_share_links(
        self,
        *,
        site_id: str,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
    ) -> Dict[str, Any]:
        """List the share links of a site."""
        sent = {
            "site_id": site_id,
            "page": page,
            "per_page": per_page,
        }
        return self._ask("GET", "/v1/share-links", sent)

    def create_share_link(
        self,
        *,
        site_id: str,
        name: str,
        shows: Optional[Mapping[str, Any]] = None,
        rules: Optional[Mapping[str, Any]] = None,
        looks: Optional[Mapping[str, Any]] = None,
        note: Optional[str] = None,
        expires_at: Optional[Any] = None,
        paused: Optional[bool] = None,
        public: Optional[bool] = None,
        indexed: Optional[bool] = None,
        password: Optional[Any] = None,
    ) -> Dict[str, Any]:
        """Create a share link."""
        sent = {
            "site_id": site_id,
            "name": name,
            "shows": shows,
            "rules": rules,
            "looks": looks,
            "note": note,
            "expires_at": expires_at,
            "paused": paused,
            "public": public,
            "indexed": indexed,
            "password": password,
        }
        return self._ask("POST", "/v1/share-links", sent, has_body=True)

    def revoke_share_link(
        self,
        *,
        link_id: str,
    ) -> Dict[str, Any]:
        """Revoke a share link."""
        sent = {
            "link_id": link_id,
        }
        return self._ask("DELETE", "/v1/share-links/{link_id}", sent)

    def create_note(
        self,
        *,
        site_id: str,
        text: str,
        day: Optional[str] = None,
        is_private: Optional[bool] = None,
        kind: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Write a note on a day."""
        sent = {
            "site_id": site_id,
            "text": text,
            "day": day,
            "is_private": is_private,
            "kind": kind,
        }
        return self._ask("POST", "/v1/notes", sent, has_body=True, idempotency_key=idempotency_key or str(uuid.uuid4()))

    def record_event(
        self,
        *,
        site_id: str,
        name: str,
        url: str,
        props: Optional[Mapping[str, Any]] = None,
        revenue: Optional[Mapping[str, Any]] = None,
        order_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Record an event from a server."""
        sent = {
            "site_id": site_id,
            "name": name,
            "url": url,
            "props": props,
            "revenue": revenue,
            "order_id": order_id,
        }
        return self._ask("POST", "/v1/events", sent, has_body=True, idempotency_key=idempotency_key or str(uuid.uuid4()))

    def record_events(
        self,
        *,
        events: Sequence[Mapping[str, Any]],
        idempotency_key: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Record up to 100 events."""
        sent = {
            "events": events,
        }
        return self._ask("POST", "/v1/events/batch", sent, has_body=True, idempotency_key=idempotency_key or str(uuid.uuid4()))
