package io.weir.server.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The samples of a scrape, read as Prometheus would. */
public final class Samples {
  private static final Pattern LINE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]+)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

  private final List<Sample> all = new ArrayList<>();

  /** One line. */
  public record Sample(String name, Map<String, String> labels, double value) {}

  /** Reads a page; what is no sample and no comment is a mistake. */
  public static Samples of(String page) {
    Samples samples = new Samples();
    for (String line : page.split("\n", -1)) {
      if (!line.isEmpty() && !line.startsWith("#")) {
        samples.all.add(sample(line));
      }
    }
    return samples;
  }

  private static Sample sample(String line) {
    Matcher form = LINE.matcher(line);
    if (!form.matches()) {
      throw new AssertionError("no sample: " + line);
    }
    Map<String, String> labels = new TreeMap<>();
    if (form.group(2) != null) {
      for (Matcher label = LABEL.matcher(form.group(2)); label.find(); ) {
        labels.put(label.group(1), label.group(2));
      }
    }
    String number = form.group(3).replace("+Inf", "Infinity");
    return new Sample(form.group(1), labels, Double.parseDouble(number));
  }

  /** Those of this name. */
  public Stream<Sample> named(String name) {
    return all.stream().filter(sample -> sample.name().equals(name));
  }

  /** All of them. */
  public List<Sample> all() {
    return all;
  }

  /** The only one of this name that has these labels, names and values in turn. */
  public double value(String name, String... labels) {
    List<Sample> found =
        named(name)
            .filter(
                sample -> {
                  for (int i = 0; i < labels.length; i += 2) {
                    if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
                      return false;
                    }
                  }
                  return true;
                })
            .toList();
    if (found.size() != 1) {
      throw new AssertionError(
          name + " " + List.of(labels) + " is there " + found.size() + " times");
    }
    return found.get(0).value();
  }
}
