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

  /** What is to be done before each measurement; nothing unless said. */
  default void begin(int warmUpMillis) throws IOException, InterruptedException {}

  /** One measurement. */
  S measure(int millis) throws IOException, InterruptedException;

  /** What is to be done after each measurement; nothing unless said. */
  default void end() throws IOException {}

  @Override
  void close() throws IOException;
}
