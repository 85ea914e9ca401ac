package io.weir.rules.replay;

import java.io.IOException;
import java.io.OutputStream;

/** Writes decisions as CSV: {@link DecisionLine#HEADER}, then a line for each request. */
public final class DecisionFile implements DecisionLine.Sink, AutoCloseable {
  private final OutputStream out;

  /** Writes the header. Closing this closes {@code out}. */
  public DecisionFile(OutputStream out) throws IOException {
    this.out = out;
  }

  @Override
  public void accept(DecisionLine line) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
