package io.weir.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a Markdown file that runs write: between two marks, a block for each JVM and section.
 * A run replaces the blocks that it measured and keeps the rest of the file.
 */
public final class ResultsFile {
  private static final String BEGIN = "<!-- results: written by ./bench core --report -->";
  private static final String END = "<!-- end of results -->";
  private static final Pattern BLOCK =
      Pattern.compile("<!-- block (\\S+) (\\S+) -->\n(.*?)<!-- end of block -->\n", Pattern.DOTALL);

  private final Path file;

  /** The file must have the two marks. */
  public ResultsFile(Path file) {
    this.file = file;
  }

  /** Replaces the blocks of {@code sections} for this JVM. */
  public void write(List<Section> sections, String headline, List<String> order)
      throws IOException {
    String text = Files.readString(file);
    int begin = text.indexOf(BEGIN);
    int end = text.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IOException(file + " lacks the marks '" + BEGIN + "' and '" + END + "'");
    }
    Map<String, Map<Integer, String>> blocks = new TreeMap<>();
    Matcher matcher = BLOCK.matcher(text.substring(begin, end));
    while (matcher.find()) {
      put(blocks, matcher.group(1), order.indexOf(matcher.group(2)), matcher.group(3));
    }
    String jvm = "jdk" + Runtime.version().feature();
    for (Section section : sections) {
      String body = section.markdown() + "\n" + headline + "\n";
      put(blocks, jvm, order.indexOf(section.id()), body);
    }
    StringBuilder results = new StringBuilder(BEGIN).append("\n");
    blocks.forEach(
        (name, parts) -> {
          results.append("\n### ").append(name.replace("jdk", "JDK ")).append("\n\n");
          parts.forEach(
              (place, body) ->
                  results
                      .append("<!-- block " + name + " " + order.get(place) + " -->\n")
                      .append(body)
                      .append("<!-- end of block -->\n\n"));
        });
    Files.writeString(file, text.substring(0, begin) + results + text.substring(end));
  }

  private static void put(
      Map<String, Map<Integer, String>> blocks, String jvm, int place, String body) {
    if (place >= 0) {
      blocks.computeIfAbsent(jvm, name -> new TreeMap<>()).put(place, body);
    }
  }
}
