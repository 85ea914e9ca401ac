package io.weir.insight;

import java.util.Locale;

/**
 * The time that a ranking covers: a row of panes, counted separately, the last still open. So the
 * last minute is from 50 to 60 seconds long, and the last hour from 55 to 60 minutes.
 */
public enum RankingWindow {
  /** Six panes of ten seconds. */
  MINUTE(6, 10_000),
  /** Twelve panes of five minutes. */
  HOUR(12, 300_000);

  private final int panes;
  private final long paneMillis;

  RankingWindow(int panes, long paneMillis) {
    this.panes = panes;
    this.paneMillis = paneMillis;
  }

  int panes() {
    return panes;
  }

  long millis() {
    return panes * paneMillis;
  }

  /** The number of the pane that contains a moment. */
  long pane(long epochMillis) {
    return Math.floorDiv(epochMillis, paneMillis);
  }

  /** The start of the first pane of the window that ends now. */
  long start(long epochMillis) {
    return (pane(epochMillis) - panes + 1) * paneMillis;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
