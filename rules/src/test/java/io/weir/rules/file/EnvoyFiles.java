package io.weir.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorLimit;
import io.weir.rules.envoy.DescriptorMatch;
import io.weir.rules.envoy.RateUnit;
import io.weir.rules.yaml.BoundedFileReader;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads files of the Envoy form, and finds the limits of descriptors in them. */
final class EnvoyFiles {
  private static final String DIRECTORY = "src/test/resources/io/weir/rules/file/envoy";

  private EnvoyFiles() {}

  /** The rules of files beside the tests, which must be good. */
  static RuleSet load(String... names) {
    return RuleFiles.load(paths(names));
  }

  /** What is wrong with files beside the tests, in the words of the command. */
  static List<String> problems(String... names) {
    return RuleFiles.read(paths(names)).problems().stream()
        .map(problem -> problem.toString().replace(DIRECTORY + "/", ""))
        .toList();
  }

  private static List<Path> paths(String... names) {
    return Stream.of(names).map(name -> Path.of(DIRECTORY, name)).toList();
  }

  /** The rules of a file with this text, which must be good. */
  static RuleSet parse(String text) {
    ProblemCollector problemCollector = new ProblemCollector();
    Draft draft =
        new Draft(
            problemCollector, BoundedFileReader.once(problemCollector), io.weir.OnFailure.ALLOW);
    read("inline.yaml", text, draft);
    assertThat(problemCollector.inOrder()).isEmpty();
    return RuleSet.of(draft.domains());
  }

  /** What is wrong with a file of this text, after the name of the file. */
  static List<String> problemsOf(String text) {
    ProblemCollector problemCollector = new ProblemCollector();
    read(
        "inline.yaml",
        text,
        new Draft(
            problemCollector, BoundedFileReader.once(problemCollector), io.weir.OnFailure.ALLOW));
    return problemCollector.inOrder().stream()
        .map(problem -> problem.toString().substring("inline.yaml:".length()))
        .toList();
  }

  private static void read(String name, String text, Draft draft) {
    YamlNode root = YamlTree.read(name, text, draft.problemCollector());
    if (root instanceof YamlNode.Mapping mapping) {
      new EnvoyForm().read(mapping, draft);
    }
  }

  /** {@code key1=value1, key2=value2}. */
  static Descriptor descriptor(String text) {
    List<Descriptor.Entry> entries = new ArrayList<>();
    for (String entry : text.split(", ", -1)) {
      int equals = entry.indexOf('=');
      entries.add(new Descriptor.Entry(entry.substring(0, equals), entry.substring(equals + 1)));
    }
    return Descriptor.of(entries);
  }

  /** What is found, in a word: {@code 5 per SECOND}, {@code unlimited}, {@code none}. */
  static String found(RuleSet rules, String domain, Descriptor descriptor) {
    return inWords(rules.find(domain, List.of(descriptor)).get(0));
  }

  static String inWords(DescriptorMatch descriptorMatch) {
    if (descriptorMatch instanceof DescriptorMatch.Limited limited) {
      Limit limit = limited.rule().limits().get(0);
      Limit.Length span = (Limit.Length) ((Limit.FixedWindow) limit).span();
      return limit.permits() + " per " + RateUnit.lasting(span.period()).orElseThrow();
    }
    return descriptorMatch instanceof DescriptorMatch.Unlimited
        ? "unlimited"
        : descriptorMatch instanceof DescriptorMatch.UnknownDomain
            ? "unknown domain"
            : descriptorMatch instanceof DescriptorMatch.Replaced ? "replaced" : "none";
  }

  /** What a descriptor is found to be limited by. */
  static DescriptorMatch.Limited limited(RuleSet rules, String domain, Descriptor descriptor) {
    DescriptorMatch found = rules.find(domain, List.of(descriptor)).get(0);
    assertThat(found).as("%s", descriptor).isInstanceOf(DescriptorMatch.Limited.class);
    return (DescriptorMatch.Limited) found;
  }

  static String metricName(RuleSet rules, String domain, Descriptor descriptor) {
    DescriptorLimit limit = limited(rules, domain, descriptor).limit();
    return limit.metricName(descriptor);
  }
}
