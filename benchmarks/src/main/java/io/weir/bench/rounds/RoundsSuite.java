package io.weir.bench.rounds;

import io.weir.bench.fork.MachineLoad;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A suite of measurements over a network. */
public interface RoundsSuite {
  /** Measures, and returns the results. */
  List<Section> run() throws IOException, InterruptedException;

  /** How busy the machine was with other work. */
  MachineLoad machineLoad();

  /** Further remarks about the run. */
  String remark();

  /** The file to write the results to as well. */
  Optional<Path> report();
}
