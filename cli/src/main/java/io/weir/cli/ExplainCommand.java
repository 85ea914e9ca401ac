package io.weir.cli;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.Explanation;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.Header;
import io.weir.rules.http.HttpRequest;
import io.weir.rules.http.Url;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Explains what rules decide for one request. */
@Command(
    name = "explain",
    description =
        "Shows which rules apply to a request and why, with which key, the decision, and what"
            + " the caller gets. Nothing is sent anywhere.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  weir explain --rules rules.yaml GET /api/v1/users",
      "  weir explain --rules rules.yaml POST https://shop.example/api/v1/login \\",
      "      -H 'X-API-Key: abc' --ip 203.0.113.7 --nth 6"
    })
final class ExplainCommand implements Callable<Integer> {
  private static final int MAX_REQUESTS = 1_000_000;

  @Spec private CommandSpec spec;

  @Mixin private final RulesOption rules = new RulesOption();

  @Parameters(index = "0", paramLabel = "METHOD", description = "GET, POST and so on.")
  private String method;

  @Parameters(
      index = "1",
      paramLabel = "URL",
      description = "https://host/path?query, or only /path?query.")
  private String url;

  @Option(
      names = {"-H", "--header"},
      paramLabel = "'Name: value'",
      converter = HeaderOption.class,
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "A header of the request; may be given several times.")
  private List<Header> headers = List.of();

  @Option(
      names = "--ip",
      paramLabel = "ADDRESS",
      description = "The caller's address, as the limiter knows it: no header changes it here.",
      defaultValue = "127.0.0.1")
  private String ip;

  @Option(names = "--cost", paramLabel = "N", description = "Permits.", defaultValue = "1")
  private long cost;

  @Option(
      names = "--nth",
      paramLabel = "N",
      description = "The answer to the Nth of such requests, all at one moment.",
      defaultValue = "1")
  private int nth;

  @Option(
      names = "--at",
      paramLabel = "TIME",
      converter = InstantOption.class,
      description = "The moment, such as 2026-03-29T10:00:00Z; now unless set.")
  private @Nullable Instant at;

  @Option(names = "--all", description = "Also name the rules that do not match.")
  private boolean all;

  @Override
  public Integer call() {
    HttpRequest request = request();
    RuleSet given = RulesLoader.load(rules.paths(), spec.commandLine());
    ExplanationText page = new ExplanationText(spec.commandLine().getOut(), all);
    page.request(request);
    try {
      page.explanation(Explanation.of(given, request));
      page.decision(decision(given, request), nth, request);
    } catch (MalformedRequestException e) {
      String reason = String.valueOf(e.getMessage());
      page.malformed(reason, DecisionResponses.badRequest(reason, request.header("Accept")));
    }
    return 0;
  }

  private RequestDecision decision(RuleSet given, HttpRequest request) {
    // In whole milliseconds, so that the printed times are round.
    Instant now = at == null ? Instant.now().truncatedTo(ChronoUnit.MILLIS) : at;
    ManualTime time = TimeSource.manual().set(now);
    RequestLimiter limiter = RequestLimiter.builder(given).time(time).build();
    for (int i = 1; i < nth; i++) {
      limiter.check(request);
    }
    return limiter.check(request);
  }

  private HttpRequest request() {
    require(
        HttpRequest.isToken(method),
        method.contains("/")
            ? "the method comes first: weir explain --rules FILE GET " + method
            : "'" + method + "' is no method of HTTP; write GET, POST and so on");
    require(Address.parse(ip) != null, "--ip '" + ip + "' is no address");
    require(cost >= 0, "--cost must not be negative");
    require(nth >= 1 && nth <= MAX_REQUESTS, "--nth must be from 1 to " + MAX_REQUESTS);
    Url parsed = parsedUrl();
    return new HttpRequest(method, parsed.target(), headers, ip, parsed.host(), cost);
  }

  /**
   * Parsed late: a misspelt option shifts the arguments, and that error is to be reported first.
   */
  private Url parsedUrl() {
    try {
      return Url.parse(url);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
