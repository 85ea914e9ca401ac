package io.weir.bench.contest;

import io.weir.bench.fork.Quietness;
import io.weir.bench.race.Chapter;
import io.weir.bench.race.RaceSuite;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What suites of servers have in common: their options.
 *
 * @param <S> what can be measured
 * @param <C> who can take part
 */
public abstract class ContestSuite<S extends Enum<S> & Chapter, C extends Enum<C> & Entrant>
    implements RaceSuite {
  /** What was said on the command line. */
  protected final RunOptions<S, C> options;

  private String remark = "";

  /** A suite that has not been told yet what to do. */
  protected ContestSuite(Class<S> scenarios, Class<C> contenders) {
    options = new RunOptions<>(scenarios, contenders);
  }

  @Override
  public final Optional<Path> report() {
    return options.report();
  }

  @Override
  public final Quietness quietness() {
    return options.quietness();
  }

  @Override
  public final String remark() {
    return remark;
  }

  /** Says what else is to be known about the run. */
  protected final void remark(String text) {
    remark = text;
  }
}
