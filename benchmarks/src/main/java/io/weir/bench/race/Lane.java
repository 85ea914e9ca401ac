package io.weir.bench.race;

import java.io.IOException;

/**
 * A contender of a race.
 *
 * @param <S> what one measurement tells
 */
public interface Lane<S> extends AutoCloseable {
  /** Its name in reports. */
  String label();

  /** Everything that is not to be measured. */
  void warmUp(int millis) throws IOException, InterruptedException;

  /** One measurement. */
  S measure(int millis) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
