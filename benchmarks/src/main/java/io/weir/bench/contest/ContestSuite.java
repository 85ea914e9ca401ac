package io.weir.bench.contest;

import io.weir.bench.fork.Quietness;
import io.weir.bench.race.Chapter;
import io.weir.bench.race.RaceSuite;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The common options of suites that compare servers.
 *
 * @param <S> the scenarios
 * @param <C> the contenders
 */
public abstract class ContestSuite<S extends Enum<S> & Chapter, C extends Enum<C> & Entrant>
    implements RaceSuite {
  /** The options of the command line. */
  protected final RunOptions<S, C> options;

  private String remark = "";

  /** A suite without options yet. */
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

  /** Adds a remark about the run. */
  protected final void remark(String text) {
    remark = text;
  }
}
