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
public record Report(String trace, String rules, String otherRules, Summary summary) {
  static final Comparator<RuleSummary> MOST_REFUSED_FIRST =
      Comparator.comparingLong(RuleSummary::refused)
          .thenComparingLong(RuleSummary::requests)
          .reversed();

  /** The most rules with charts of their own. */
  static final int MOST_CHARTS = 40;

  /** The page. */
  public String html() {
    String style = resource("report.css");
    String script = resource("report.js");
    ChartData data = new ChartData();
    Html html = new Html();
    html.open("html", "lang", "en").newLine().open("head").newLine();
    html.empty("meta", "charset", "utf-8").newLine();
    html.empty("meta", "http-equiv", "Content-Security-Policy", "content", policy(style, script))
        .newLine();
    html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    html.empty("meta", "name", "color-scheme", "content", "light dark");
    html.empty("meta", "name", "referrer", "content", "no-referrer");
    html.empty("link", "rel", "icon", "href", "data:,").newLine();
    html.element("title", Wording.plain(trace) + " · Weir simulation").newLine();
    html.verbatim("style", style).close().newLine();
    html.open("body").newLine();
    new ReportBody(this, data, html).write();
    html.verbatim("script", data.json(), "type", "application/json", "id", "data").newLine();
    html.verbatim("script", script).newLine();
    html.close().newLine().close().newLine();
    return "<!DOCTYPE html>\n" + html;
  }

  /** The rules that have charts, in the order of the files. */
  List<RuleSummary> charted() {
    List<RuleSummary> fired = summary.rules().stream().filter(rule -> !rule.neverFired()).toList();
    if (fired.size() <= MOST_CHARTS) {
      return fired;
    }
    return fired.stream().sorted(MOST_REFUSED_FIRST).limit(MOST_CHARTS).toList();
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
    try (InputStream in = Objects.requireNonNull(Report.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name + " cannot be read", e);
    }
  }
}
