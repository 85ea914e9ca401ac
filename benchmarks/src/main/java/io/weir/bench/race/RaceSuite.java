package io.weir.bench.race;

import io.weir.bench.fork.Quietness;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What the command can be asked to measure over a network. */
public interface RaceSuite {
  /** Measures, and tells what was found. */
  List<Section> run() throws IOException, InterruptedException;

  /** How busy the machine was with other things. */
  Quietness quietness();

  /** What else is to be known about the run. */
  String remark();

  /** Where to write the results too. */
  Optional<Path> report();
}
