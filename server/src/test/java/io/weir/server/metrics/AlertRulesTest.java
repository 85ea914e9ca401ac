package io.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each alert has tests that would notice a change of it, and a section of the runbook. */
@Tag("slow")
class AlertRulesTest {
  private static final String ALERTS = "weir-alerts.yml";
  private static final String TESTS = "weir-alerts.test.yml";
  private static final Pattern FOR = Pattern.compile("(?m)^ +for: (\\d+)m\\n");
  private static final List<String> PARTS =
      List.of("What it means.", "What users see.", "How to look.", "What to do.", "Can it wait?");

  /** A duration that may be anything is a duration that will be wrong. */
  @ParameterizedTest
  @CsvSource({"removed, 0", "doubled, 2"})
  void testsDetectEveryChangedDuration(String change, int factor, @TempDir Path directory)
      throws Exception {
    String alerts = Files.readString(PrometheusFiles.DIRECTORY.resolve(ALERTS));
    String changed =
        FOR.matcher(alerts)
            .replaceAll(
                found ->
                    factor == 0
                        ? ""
                        : "        for: " + factor * Integer.parseInt(found.group(1)) + "m\n");
    Files.writeString(directory.resolve(ALERTS), changed);
    Files.copy(PrometheusFiles.DIRECTORY.resolve(TESTS), directory.resolve(TESTS));

    Promtool.Result result = Promtool.run(directory, "", "test", "rules", TESTS);

    Set<String> noticed = new TreeSet<>();
    for (Matcher name = Pattern.compile("alertname: (\\w+), time").matcher(result.output());
        name.find(); ) {
      noticed.add(name.group(1));
    }
    Set<String> delayed = new TreeSet<>();
    for (Map<?, ?> alert : PrometheusFiles.alerts()) {
      if (alert.containsKey("for")) {
        delayed.add(name(alert));
      }
    }
    assertThat(delayed).hasSizeGreaterThan(15);
    assertThat(noticed).as(change).containsExactlyElementsOf(delayed);
  }

  @Test
  void everyAlertIsSeenToFireAndNotToFire() throws IOException {
    String tests = Files.readString(PrometheusFiles.DIRECTORY.resolve(TESTS));
    for (Map<?, ?> alert : PrometheusFiles.alerts()) {
      assertThat(tests)
          .containsPattern("alertname: " + name(alert) + "\\s+exp_alerts:\\s+- exp_labels")
          .contains("alertname: " + name(alert) + ", exp_alerts: []");
    }
  }

  @Test
  void everyAlertHasASectionOfTheRunbookAndEverySectionAnAlert() throws IOException {
    List<String> alerts = new ArrayList<>();
    for (Map<?, ?> alert : PrometheusFiles.alerts()) {
      alerts.add(name(alert));
      assertThat(((Map<?, ?>) alert.get("annotations")).get("runbook_url"))
          .isEqualTo("docs/how-to/runbook.md#" + name(alert).toLowerCase(Locale.ROOT));
      assertThat(((Map<?, ?>) alert.get("labels")).get("severity")).isIn("critical", "warning");
    }
    assertThat(sections().keySet().stream().filter(title -> title.startsWith("Weir")).sorted())
        .containsExactlyElementsOf(alerts.stream().sorted().toList());
    assertThat(titles()).as("in the order of the alerts").containsSubsequence(alerts);
  }

  @Test
  void everySectionHasTheSameParts() throws IOException {
    for (Map<?, ?> alert : PrometheusFiles.alerts()) {
      String section = sections().get(name(alert));
      List<String> parts =
          Pattern.compile("(?m)^\\*\\*(.+?)\\*\\*")
              .matcher(section)
              .results()
              .map((MatchResult match) -> match.group(1))
              .toList();
      assertThat(parts).as(name(alert)).isEqualTo(PARTS);
    }
  }

  @Test
  void everyLinkOfTheRunbookLeadsSomewhere() throws IOException {
    Set<String> anchors = new TreeSet<>();
    titles().forEach(title -> anchors.add("#" + title.toLowerCase(Locale.ROOT).replace(' ', '-')));
    Matcher link =
        Pattern.compile("\\]\\(([^)#]*)(#[^)]*)?\\)")
            .matcher(Files.readString(PrometheusFiles.RUNBOOK));
    while (link.find()) {
      if (link.group(1).isEmpty()) {
        assertThat(anchors).contains(link.group(2));
      } else {
        assertThat(PrometheusFiles.RUNBOOK.resolveSibling(link.group(1))).exists();
      }
    }
  }

  private static String name(Map<?, ?> alert) {
    return String.valueOf(alert.get("alert"));
  }

  private static List<String> titles() throws IOException {
    return Pattern.compile("(?m)^## (.+)$")
        .matcher(Files.readString(PrometheusFiles.RUNBOOK))
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  /** The text below each title. */
  private static Map<String, String> sections() throws IOException {
    Map<String, String> sections = new HashMap<>();
    for (String section : Files.readString(PrometheusFiles.RUNBOOK).split("(?m)^## ")) {
      int end = section.indexOf('\n');
      sections.put(section.substring(0, end), section.substring(end));
    }
    return sections;
  }
}
