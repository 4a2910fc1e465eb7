// SPDX-License-Identifier: GPL-2.0-or-later
// Talks to sweepd: documents, changes, and the live feed of events.

const BASE = "/api/v1";
const TOKEN_KEY = "sweepd-token"; // of this tab only
const POLL_MS = 2000; // where the stream cannot be had
const RECONNECT_FIRST_MS = 500;
const RECONNECT_MAX_MS = 15000;
const PENDING_MAX = 1 << 20; // characters of an unfinished event
const REQUEST_TIMEOUT_MS = 30000;

// An answer that is no success: a problem document, or the network's word.
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `The server answered ${status}.`);
    this.status = status;
    this.code = body.code || "";
    this.title = body.title || "";
    this.fix = body.fix || "";
  }
}

export function token() {
  return sessionStorage.getItem(TOKEN_KEY) || "";
}

export function setToken(text) {
  if (text) sessionStorage.setItem(TOKEN_KEY, text);
  else sessionStorage.removeItem(TOKEN_KEY);
}

function headers(extra) {
  const all = { ...extra };
  if (token()) all.Authorization = `Bearer ${token()}`;
  return all;
}

async function problemOf(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    body = { title: response.statusText };
  }
  return new Problem(response.status, body);
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(BASE + path, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...options });
  } catch (error) {
    throw new Problem(0, { title: "sweepd is not reachable", detail: `No answer from sweepd (${error.message}).`,
      fix: "The page tries again by itself." });
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

export async function get(path) {
  return (await ask(path, { headers: headers({ Accept: "application/json" }) })).json();
}

// The last bytes of a log, as text.
export async function getText(path) {
  return (await ask(path, { headers: headers({ Accept: "text/plain" }) })).text();
}

export async function post(path, body) {
  const response = await ask(path, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID?.() || String(Math.random()) }),
    body: JSON.stringify(body || {}),
  });
  return response.json();
}

// --- events ---------------------------------------------------------------------------

function parseBlock(block) {
  const data = [];
  for (const line of block.split("\n")) if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  if (!data.length) return null;
  try {
    return JSON.parse(data.join("\n"));
  } catch {
    return null;
  }
}

async function readStream(response, on, gone) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done || gone()) return;
    pending = (pending + value).replaceAll("\r\n", "\n");
    if (pending.length > PENDING_MAX) throw new Error("an event without an end");
    for (let end; (end = pending.indexOf("\n\n")) >= 0; pending = pending.slice(end + 2)) {
      const event = parseBlock(pending.slice(0, end));
      if (event && event.id) on(event);
    }
  }
}

// Every event from now on goes to `on`; `state` hears "live", "polling" or "lost".
// Returns the function that ends it.
export function feed(on, state) {
  let last = null;
  let ended = false;
  let wait = RECONNECT_FIRST_MS;
  let abort = new AbortController();
  const gone = () => ended;
  const take = (event) => {
    if (last !== null && event.id <= last) return;
    last = event.id;
    on(event);
  };
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  async function stream() {
    abort = new AbortController();
    const response = await fetch(`${BASE}/events`, {
      headers: headers({ Accept: "text/event-stream", "Last-Event-ID": String(last) }),
      signal: abort.signal,
      cache: "no-store",
    });
    if (!response.ok) throw await problemOf(response);
    if (!(response.headers.get("Content-Type") || "").startsWith("text/event-stream")) {
      await response.body.cancel();
      return false;
    }
    state("live");
    wait = RECONNECT_FIRST_MS;
    await readStream(response, take, gone);
    return true;
  }

  async function poll() {
    const page = await get(`/events?after=${last}`);
    state("polling");
    wait = RECONNECT_FIRST_MS;
    page.events.forEach(take);
    await pause(POLL_MS);
  }

  (async () => {
    while (!ended) {
      try {
        if (last === null) last = (await get("/events?limit=1")).newest_id ?? 0;
        if (!(await stream())) await poll();
      } catch {
        if (!ended) state("lost");
        await pause(wait);
        wait = Math.min(wait * 2, RECONNECT_MAX_MS);
      }
    }
  })();
  return () => {
    ended = true;
    abort.abort();
  };
}
