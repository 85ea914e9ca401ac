package io.weir.server;

import io.weir.rules.Ruling;

/** Counts decisions, by rule and outcome. */
public final class Tally {
  /** Counts what the rules said to one request. */
  public void count(Ruling ruling) {}
}
