package io.weir.bench.rounds;

import java.io.IOException;

/**
 * A contender of a race.
 *
 * @param <S> the result of one measurement
 */
public interface MeasuredCase<S> extends AutoCloseable {
  /** Its name in reports. */
  String label();

  /** Everything that is not measured. */
  void warmUp(int millis) throws IOException, InterruptedException;

  /** Called before each measurement; does nothing by default. */
  default void begin(int warmUpMillis) throws IOException, InterruptedException {}

  /** One measurement. */
  S measure(int millis) throws IOException, InterruptedException;

  /** Called after each measurement; does nothing by default. */
  default void end() throws IOException {}

  @Override
  void close() throws IOException;
}
