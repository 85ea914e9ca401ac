package io.weir.cli.simulate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.replay.Summary;
import io.weir.rules.replay.Trace;
import io.weir.rules.replay.TraceReplay;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The report: well-formed, self-contained, and not to be taken over by what it shows. */
class HtmlReportTest {
  private static final String EVIL = "</script><img src=x onerror=alert(1)>&\"'";

  private static final RuleSet RULES =
      rules(
          Rule.named("pair").per("user").limit(Limit.fixedWindow(2).perMinute()).build(),
          Rule.named("slow").per("user").limit(Limit.leakyBucket(1).perSecond().queue(50)).build(),
          Rule.named("tried")
              .per("user")
              .limit(Limit.tokenBucket(1).perHour())
              .policy(Policy.DEFAULT.with(Policy.Mode.SHADOW))
              .build(),
          Rule.named("all").limit(Limit.tokenBucket(1000).perSecond()).build(),
          Rule.named("asleep").policy(Policy.DEFAULT.with(Policy.Mode.OFF)).build());

  private static final RuleSet OTHER =
      rules(Rule.named("trio").per("user").limit(Limit.fixedWindow(3).perMinute()).build());

  private static RuleSet rules(Rule... rules) {
    return RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), List.of(rules)));
  }

  @Test
  void isWellFormedWithAllOfItsParts() throws Exception {
    Document page = parse(report(trace(300)));

    assertThat(texts(page, "h2"))
        .containsExactly(
            "Findings",
            "What other.yaml would change",
            "Rule by rule",
            "Allowed and refused over time",
            "Most refused callers",
            "Use of the limit",
            "About the trace");
    assertThat(texts(page, "option")).containsExactly("all rules", "pair", "slow", "tried", "all");
    assertThat(texts(page, "th")).anyMatch(text -> text.startsWith("asleep off"));
    assertThat(texts(page, "th")).anyMatch(text -> text.startsWith("tried shadow"));
    assertThat(attributes(page, "svg", "data-chart"))
        .containsExactly("flips", "all", "r0", "r1", "r2", "r3");
    assertThat(attributes(page, "svg", "role").stream().filter("img"::equals).count())
        .isEqualTo(attributes(page, "svg", "aria-label").size());
  }

  @Test
  void reportIsSelfContained() throws Exception {
    String html = report(trace(300));
    Document page = parse(html);

    assertThat(html).doesNotContainIgnoringCase("http:", "https:", "//cdn", "@import", "url(");
    assertThat(html).doesNotContainPattern("<[^>]* (style|on[a-z]+|src|srcset)=");
    String policy = attributes(page, "meta", "content").get(0);
    assertThat(policy)
        .startsWith("default-src 'none'; ")
        .doesNotContain("unsafe")
        .contains("style-src '" + hash(html, "style") + "'")
        .contains("script-src '" + hash(html, "script") + "'");
  }

  @Test
  void escapesKeysInTheReport() throws Exception {
    StringBuilder trace = new StringBuilder("time,user\n");
    for (int i = 0; i < 10; i++) {
      trace.append(i).append(",\"").append(EVIL.replace("\"", "\"\"")).append("\"\n");
      trace.append(i).append(",").append("k".repeat(500)).append("\n");
      trace.append(i).append(",a\u202eb\u0007c\n");
    }
    RuleSet rules =
        rules(Rule.named("<u>&").per("user").limit(Limit.fixedWindow(2).perMinute()).build());
    String html = new HtmlReport(EVIL, "<i>", "", replay(rules, trace.toString())).html();
    Document page = parse(html);

    assertThat(texts(page, "h1")).containsExactly(EVIL);
    assertThat(texts(page, "code")).contains(HumanFormat.shortened(EVIL, 36), "a\ufffdb\ufffdc");
    assertThat(texts(page, "option")).contains("<u>&");
    assertThat(html).doesNotContain("<img", "<i>", "<u>&", "\u202e");
    assertThat(texts(page, "code")).allMatch(text -> text.length() <= 60);
    assertThat(Pattern.compile("</script>").matcher(html).results()).hasSize(2);
  }

  @Test
  void isTheSameForTheSameTrace() throws IOException {
    assertThat(report(trace(5000))).isEqualTo(report(trace(5000)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "time,user\n",
        "time,user\n0,a\n",
        "time,user\n0,a\n9000000000000,a\n",
        "time,user\n-62135596800000,a\n253402300799000,a\n",
        "time,user\n0,a\n0,a\n0,a\n0,a\nsoon,b\n",
        "time,user\n0,\n"
      })
  void isWellFormedWhateverTheTrace(String trace) throws Exception {
    String html = report(trace);
    parse(html);
    assertThat(html).doesNotContain("NaN", "Infinity");
  }

  @Test
  void staysSmallWithManyRules() throws Exception {
    List<Rule> many = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      many.add(Rule.named("rule-" + i).per("user").limit(Limit.fixedWindow(2).perMinute()).build());
    }
    RuleSet rules = RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), many));
    String html = new HtmlReport("t", "r", "", replay(rules, trace(20))).html();
    parse(html);
    assertThat(html.length()).isLessThan(2_000_000);
    assertThat(html).contains("of 3\u202f000");
  }

  private static String trace(int requests) {
    StringBuilder trace = new StringBuilder("time,user\n");
    for (int i = 0; i < requests; i++) {
      trace.append(i * 977L).append(",user").append(i * i % 31).append('\n');
    }
    return trace.append("soon,nobody\n").toString();
  }

  private static String report(String trace) throws IOException {
    try (Trace opened = Trace.open("t", new ByteArrayInputStream(trace.getBytes(UTF_8)))) {
      Summary summary = TraceReplay.by(RULES).comparedWith(OTHER).run(opened);
      return new HtmlReport("trace.csv", "rules.yaml", "other.yaml", summary).html();
    }
  }

  private static Summary replay(RuleSet rules, String trace) throws IOException {
    try (Trace opened = Trace.open("t", new ByteArrayInputStream(trace.getBytes(UTF_8)))) {
      return TraceReplay.by(rules).run(opened);
    }
  }

  /** The page as XML; what stands in scripts is no markup. */
  private static Document parse(String html) throws Exception {
    String xml =
        html.replaceFirst("<!DOCTYPE html>", "")
            .replaceAll("(?s)(<script[^>]*>).*?(</script>)", "$1$2")
            .replaceAll("(?s)<style>.*?</style>", "");
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(xml)));
  }

  private static List<String> texts(Document page, String tag) {
    NodeList found = page.getElementsByTagName(tag);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      texts.add(found.item(i).getTextContent());
    }
    return texts;
  }

  private static List<String> attributes(Document page, String tag, String name) {
    NodeList found = page.getElementsByTagName(tag);
    List<String> values = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      Element element = (Element) found.item(i);
      if (element.hasAttribute(name)) {
        values.add(element.getAttribute(name));
      }
    }
    return values;
  }

  private static String hash(String html, String tag) throws Exception {
    MatchResult found =
        Pattern.compile("(?s)<" + tag + ">(.*?)</" + tag + ">")
            .matcher(html)
            .results()
            .findFirst()
            .orElseThrow();
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(found.group(1).getBytes(UTF_8));
    return "sha256-" + Base64.getEncoder().encodeToString(hash);
  }
}
