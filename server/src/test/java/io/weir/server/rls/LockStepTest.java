package io.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.weir.decision.RuleSource;
import io.weir.rig.GoProgram;
import io.weir.rig.Ports;
import io.weir.rig.Program;
import io.weir.rig.RedisProcess;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.rls.proto.service.RateLimitRequest;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc;
import io.weir.server.rls.proto.service.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Beside a real envoyproxy/ratelimit: both load the same files, get the same calls at the same
 * time, and send the same responses. With {@code envoy_counting} that is so for all requests;
 * without it for requests of one hit, beside a peer that does not count what it refuses.
 */
@Tag("soak")
@Timeout(600)
class LockStepTest {
  /** It makes no releases: this is one state of it. {@code ./bench} has the same. */
  private static final String RATELIMIT =
      "github.com/envoyproxy/ratelimit/src/service_cmd@v1.4.1-0.20260122083618-3fb702589d36";

  private static final String SETTINGS = "src/settings/settings.go";
  private static final int REQUESTS = 5000;

  /** So many requests share their counters; then others are new. */
  private static final int REQUESTS_PER_RUN = 500;

  /** Both have to see a request in the same second. */
  private static final int LATEST_MILLI = 700;

  private static final int EARLIEST_MILLI = 20;
  private static final List<String> DOMAINS = List.of("one", "two");

  private final List<AutoCloseable> opened = new ArrayList<>();
  private int runs;

  @ParameterizedTest
  @CsvSource({"true, 1", "true, 2", "false, 3", "false, 4"})
  void weirAndRatelimitDecideAlike(boolean countsRefused, long seed) throws Exception {
    Path program = GoProgram.build(RATELIMIT).orElse(null);
    assumeTrue(program != null, "envoyproxy/ratelimit is not there: it takes Go and its proxy");
    LockStepRules rules = new LockStepRules(seed, countsRefused);
    Path directory = Program.directory("ratelimit");
    Path config = Files.createDirectories(directory.resolve("root/rules/config"));
    for (String domain : DOMAINS) {
      Files.writeString(config.resolve(domain + ".yaml"), rules.file(domain));
    }
    try {
      RateLimitServiceBlockingStub peer = peer(program, directory, !countsRefused);
      RateLimitServiceBlockingStub weir = weir(config, countsRefused);
      int refused = 0;
      for (int i = 0; i < REQUESTS; i++) {
        refused += compare(rules, peer, weir, i) ? 1 : 0;
      }
      assertThat(refused).isBetween(REQUESTS / 10, REQUESTS * 9 / 10);
    } finally {
      for (int i = opened.size() - 1; i >= 0; i--) {
        opened.get(i).close();
      }
    }
  }

  /** The page names each, or covers it by a pattern such as {@code STATSD_*}. */
  @Test
  void theMigrationPageHasEverySetting() throws IOException {
    assumeTrue(GoProgram.build(RATELIMIT).isPresent(), "envoyproxy/ratelimit is not there");
    String module = RATELIMIT.replace("/src/service_cmd", "");
    String settings = Files.readString(Path.of("target/go/pkg/mod", module, SETTINGS));
    String page = Files.readString(Path.of("../docs/how-to/migrate-from-envoy-ratelimit.md"));
    List<Pattern> named =
        Pattern.compile("`([A-Z_*]*[A-Z]{2}[A-Z_*]*)[`=]")
            .matcher(page)
            .results()
            .map(LockStepTest::pattern)
            .toList();
    List<String> missing =
        Pattern.compile("envconfig:\"([A-Z_]+)\"")
            .matcher(settings)
            .results()
            .map(each -> each.group(1))
            .filter(name -> named.stream().noneMatch(each -> each.matcher(name).matches()))
            .toList();
    assertThat(missing).isEmpty();
    assertThat(settings).contains("envconfig:\"GRPC_PORT\"");
  }

  /** {@code _KEY} stands for the end of a name, the beginning of which is the one before. */
  private static Pattern pattern(MatchResult named) {
    String name = named.group(1).replace("*", "[A-Z_]*");
    return Pattern.compile(name.startsWith("_") ? "[A-Z_]*" + name : name);
  }

  /** Calls both; returns whether they refuse. */
  private boolean compare(
      LockStepRules rules,
      RateLimitServiceBlockingStub peer,
      RateLimitServiceBlockingStub weir,
      int number)
      throws InterruptedException {
    if (number % REQUESTS_PER_RUN == 0) {
      runs++;
    }
    RateLimitRequest request = rules.request(DOMAINS, "" + runs);
    while (true) {
      long second = awaitMidSecond();
      RateLimitResponse expected = call(peer, request);
      RateLimitResponse actual = call(weir, request);
      if (System.currentTimeMillis() / 1000 == second) {
        assertThat(summary(actual)).as("%d: %s", number, request).isEqualTo(summary(expected));
        return expected.getOverallCode() == RateLimitResponse.Code.OVER_LIMIT;
      }
      // Something was held up: each may have counted in another window. On with new counters.
      runs++;
      request = rules.request(DOMAINS, "" + runs);
    }
  }

  private static long awaitMidSecond() throws InterruptedException {
    long now = System.currentTimeMillis();
    while (now % 1000 > LATEST_MILLI || now % 1000 < EARLIEST_MILLI) {
      Thread.sleep(5);
      now = System.currentTimeMillis();
    }
    return now / 1000;
  }

  private static RateLimitResponse call(
      RateLimitServiceBlockingStub stub, RateLimitRequest request) {
    return stub.withDeadlineAfter(30, TimeUnit.SECONDS).shouldRateLimit(request);
  }

  /** What Envoy makes use of; the peer sends no headers and no names of limits. */
  private static String summary(RateLimitResponse response) {
    StringBuilder text = new StringBuilder(response.getOverallCode().toString());
    for (RateLimitResponse.DescriptorStatus status : response.getStatusesList()) {
      text.append('\n').append(status.getCode());
      if (status.hasCurrentLimit()) {
        text.append(' ').append(status.getCurrentLimit().getRequestsPerUnit());
        text.append(" per ").append(status.getCurrentLimit().getUnit());
      }
      text.append(", left ").append(Integer.toUnsignedLong(status.getLimitRemaining()));
      text.append(", reset ").append(status.getDurationUntilReset().getSeconds());
    }
    return text.toString();
  }

  private RateLimitServiceBlockingStub weir(Path rules, boolean countsRefused) {
    ServerSettings serverSettings =
        ServerSettings.builder().envoyCounting(countsRefused).build().onFreePorts();
    Server server = Server.builder(serverSettings).rules(RuleSource.of(List.of(rules))).start();
    opened.add(server);
    return stub(server.servicePort());
  }

  private RateLimitServiceBlockingStub peer(Path program, Path directory, boolean stopsCounting) {
    RedisProcess redis = RedisProcess.start();
    opened.add(redis);
    int port = Ports.free();
    Map<String, String> settings =
        Map.ofEntries(
            Map.entry("RUNTIME_ROOT", directory.resolve("root").toString()),
            Map.entry("RUNTIME_SUBDIRECTORY", "rules"),
            Map.entry("RUNTIME_WATCH_ROOT", "false"),
            Map.entry("USE_STATSD", "false"),
            Map.entry("LOG_LEVEL", "error"),
            Map.entry("BACKEND_TYPE", "redis"),
            Map.entry("REDIS_SOCKET_TYPE", "tcp"),
            Map.entry("REDIS_URL", "127.0.0.1:" + redis.port()),
            Map.entry("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT", "" + stopsCounting),
            Map.entry("HOST", "127.0.0.1"),
            Map.entry("PORT", "" + Ports.free()),
            Map.entry("GRPC_HOST", "127.0.0.1"),
            Map.entry("GRPC_PORT", "" + port),
            Map.entry("DEBUG_HOST", "127.0.0.1"),
            Map.entry("DEBUG_PORT", "" + Ports.free()));
    List<String> command = new ArrayList<>(List.of("env"));
    settings.forEach((name, value) -> command.add(name + "=" + value));
    command.add(program.toString());
    opened.add(Program.start(directory, command, () -> listens(port)));
    return stub(port);
  }

  private static boolean listens(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    }
  }

  private RateLimitServiceBlockingStub stub(int port) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    opened.add(channel::shutdownNow);
    return RateLimitServiceGrpc.newBlockingStub(channel);
  }
}
