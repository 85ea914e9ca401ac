package io.weir.bench.rounds;

import io.weir.bench.cli.Choice;
import io.weir.bench.report.Bar;
import io.weir.bench.report.Section;
import java.util.Arrays;
import java.util.List;

/** A scenario of a suite: it can be measured alone, and has a section in the report. */
public interface SuiteScenario extends Choice {
  /** The suite's name on the command line. */
  String suite();

  /** Its name in reports. */
  String title();

  /** The section with its results. */
  default Section section(String body, List<Bar> bars) {
    return new Section(suite() + "-" + id(), title(), body, bars);
  }

  /** The section after a failure, with its reason. */
  default Section failed(Exception why) {
    System.err.println("FAILED: " + why.getMessage());
    return section("failed", List.of());
  }

  /** The names of all of them in a file of results. */
  static List<String> sections(SuiteScenario[] all) {
    return Arrays.stream(all).map(each -> each.section("", List.of()).id()).toList();
  }
}
