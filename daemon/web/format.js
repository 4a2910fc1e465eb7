// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers, instants and names as people read them.

const NONE = "–";

export function number(value, digits = 0) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function percent(share) {
  return share === null || share === undefined ? NONE : `${Math.floor(share * 100)} %`;
}

const DAY_S = 86400;

export function duration(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return NONE;
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60 ? `${s % 60} s` : ""}`.trim();
  if (s < DAY_S) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / DAY_S)} d ${Math.floor((s % DAY_S) / 3600)} h`;
}

export function between(start, end) {
  if (!start) return NONE;
  return duration((end ? Date.parse(end) : Date.now()) / 1000 - Date.parse(start) / 1000);
}

function sameDay(a, b) {
  return a.toDateString() === b.toDateString();
}

// In the reader's zone; the day only when it is another one.
export function clock(text) {
  if (!text) return NONE;
  const at = new Date(text);
  const time = at.toLocaleTimeString("en-GB");
  return sameDay(at, new Date()) ? time : `${at.toLocaleDateString("en-CA")} ${time}`;
}

export function ago(text) {
  if (!text) return NONE;
  return `${duration((Date.now() - Date.parse(text)) / 1000)} ago`;
}

export function plural(n, noun) {
  return `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
}

// "pass" is an outcome, "active" a state: what a point is called in one word.
export function wordOf(point) {
  if (point.outcome) return point.outcome;
  return point.state === "active" ? point.phase || point.attempt_state || "active" : point.state;
}

// The look of a point: the class of its outcome, else its state.
export function lookOf(point) {
  if (point.outcome) return point.class || "other";
  return point.state === "active" ? "active" : "waiting";
}

export const GLYPHS = { ok: "✓", usable: "◐", benchmark: "✕", unclear: "?", infra: "⚡", other: "∅", active: "▶", waiting: "·" };

export const LOOKS = {
  ok: "measured as asked",
  usable: "usable in part",
  benchmark: "failed",
  unclear: "not clear yet",
  infra: "infrastructure",
  other: "not measured",
  active: "at work",
  waiting: "waiting",
};
