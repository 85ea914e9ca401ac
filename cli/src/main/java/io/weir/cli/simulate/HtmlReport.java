package io.weir.cli.simulate;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.replay.RuleSummary;
import io.weir.rules.replay.Summary;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * A replay as one HTML file. It loads nothing from other places, and its content security policy
 * allows only its own few lines of script. The same replay gives the same bytes.
 *
 * @param trace the name of the trace
 * @param rules the name of the rules
 * @param otherRules the name of the rules compared with; empty if there are none
 */
public record HtmlReport(String trace, String rules, String otherRules, Summary summary) {
  static final Comparator<RuleSummary> BY_REFUSALS_DESCENDING =
      Comparator.comparingLong(RuleSummary::refused)
          .thenComparingLong(RuleSummary::requests)
          .reversed();

  /** The most rules with charts of their own. */
  static final int MAX_CHARTS = 40;

  /** The page. */
  public String html() {
    String style = resource("report.css");
    String script = resource("report.js");
    ChartData data = new ChartData();
    HtmlWriter htmlWriter = new HtmlWriter();
    htmlWriter.open("html", "lang", "en").newLine().open("head").newLine();
    htmlWriter.empty("meta", "charset", "utf-8").newLine();
    htmlWriter
        .empty("meta", "http-equiv", "Content-Security-Policy", "content", policy(style, script))
        .newLine();
    htmlWriter.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    htmlWriter.empty("meta", "name", "color-scheme", "content", "light dark");
    htmlWriter.empty("meta", "name", "referrer", "content", "no-referrer");
    htmlWriter.empty("link", "rel", "icon", "href", "data:,").newLine();
    htmlWriter.element("title", HumanFormat.plain(trace) + " · Weir simulation").newLine();
    htmlWriter.verbatim("style", style).close().newLine();
    htmlWriter.open("body").newLine();
    new ReportBody(this, data, htmlWriter).write();
    htmlWriter.verbatim("script", data.json(), "type", "application/json", "id", "data").newLine();
    htmlWriter.verbatim("script", script).newLine();
    htmlWriter.close().newLine().close().newLine();
    return "<!DOCTYPE html>\n" + htmlWriter;
  }

  /** The rules that have charts, in the order of the files. */
  List<RuleSummary> charted() {
    List<RuleSummary> fired = summary.rules().stream().filter(rule -> !rule.neverFired()).toList();
    if (fired.size() <= MAX_CHARTS) {
      return fired;
    }
    return fired.stream().sorted(BY_REFUSALS_DESCENDING).limit(MAX_CHARTS).toList();
  }

  private static String policy(String style, String script) {
    return "default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'"
        .formatted(hash(style), hash(script));
  }

  private static String hash(String text) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static String resource(String name) {
    try (InputStream in =
        Objects.requireNonNull(HtmlReport.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name + " cannot be read", e);
    }
  }
}
