package io.weir.bench.redis;

import java.io.IOException;

/** A contender of a race. */
interface Lane extends AutoCloseable {
  String label();

  /** Everything that is not to be measured. */
  void warmUp(int millis) throws IOException, InterruptedException;

  Sample measure(int millis) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
