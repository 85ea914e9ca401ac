package io.weir.bench.server;

import io.weir.bench.fork.MachineLoad;
import io.weir.bench.rounds.RoundsSuite;
import io.weir.bench.rounds.SuiteScenario;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The common options of suites that compare servers.
 *
 * @param <S> the scenarios
 * @param <C> the contenders
 */
public abstract class ServerSuite<S extends Enum<S> & SuiteScenario, C extends Enum<C> & Competitor>
    implements RoundsSuite {
  /** The options of the command line. */
  protected final RunOptions<S, C> options;

  private String remark = "";

  /** A suite without options yet. */
  protected ServerSuite(Class<S> scenarios, Class<C> contenders) {
    options = new RunOptions<>(scenarios, contenders);
  }

  @Override
  public final Optional<Path> report() {
    return options.report();
  }

  @Override
  public final MachineLoad machineLoad() {
    return options.machineLoad();
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
