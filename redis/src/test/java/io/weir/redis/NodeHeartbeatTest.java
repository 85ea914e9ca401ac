package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rig.RespSocket;
import io.weir.rig.SharedRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that count each other in a real Redis; the second between two beats is virtual. */
class NodeHeartbeatTest {
  private final RedisProcess redis = SharedRedis.empty();
  private final ManualTimer timer = new ManualTimer(0);
  private final Deadlines deadlines = Deadlines.byHand(Duration.ofSeconds(10));
  private final SocketLink link = new SocketLink(redis);
  private final CommandSender commandSender =
      new CommandSender(link, deadlines, new RedisCounters());
  private int second;

  @AfterEach
  void close() {
    link.close();
    deadlines.close();
  }

  private NodeHeartbeat join(int minNodes) {
    return new NodeHeartbeat(
        "weir", OptionalInt.of(minNodes), null, commandSender, timer, warning -> {});
  }

  private void beat() {
    second++;
    timer.moveTo(Duration.ofSeconds(second));
  }

  @Test
  void nodesCountEachOther() {
    NodeHeartbeat first = join(1);
    assertThat(first.count()).isEqualTo(1);
    beat();
    assertThat(first.count()).isEqualTo(1);
    NodeHeartbeat second = join(1);
    NodeHeartbeat third = join(1);
    beat();
    beat();
    assertThat(List.of(first.count(), second.count(), third.count())).containsOnly(3);
    third.close();
    for (int i = 0; i < 5; i++) {
      beat();
      assertThat(first.count()).isEqualTo(3);
    }
    beat();
    beat();
    assertThat(List.of(first.count(), second.count())).containsOnly(2);
    assertThat(redis.call("ZCARD", "weir:nodes")).isEqualTo(2L);
  }

  @Test
  void nodeSilentForFiveSecondsIsNotCounted() {
    NodeHeartbeat node = join(1);
    long now = redisMillis();
    redis.call("ZADD", "weir:nodes", String.valueOf(now - 500), "lately");
    redis.call("ZADD", "weir:nodes", String.valueOf(now - 6000), "long ago");
    redis.call("ZADD", "weir:nodes", String.valueOf(now + 3_600_000), "in an hour");
    beat();
    assertThat(node.count()).isEqualTo(2);
    assertThat((Long) redis.call("PTTL", "weir:nodes")).isBetween(1L, 5000L);
  }

  @Test
  void theLastCountHoldsWhileRedisIsAway() {
    NodeHeartbeat node = join(1);
    join(1);
    beat();
    beat();
    assertThat(node.count()).isEqualTo(2);
    link.failing = true;
    beat();
    beat();
    assertThat(node.count()).isEqualTo(2);
  }

  @Test
  void flushedRedisDoesNotLowerTheCountAtOnce() {
    NodeHeartbeat node = join(1);
    NodeHeartbeat other = join(1);
    beat();
    beat();
    for (int i = 0; i < 20; i++) {
      if (i % 4 == 0) {
        redis.flush();
      }
      beat();
    }
    assertThat(List.of(node.count(), other.count())).containsOnly(2);
  }

  @Test
  void configuredNumberIsTheMinimum() {
    NodeHeartbeat node = join(4);
    beat();
    assertThat(node.count()).isEqualTo(4);
    for (int i = 0; i < 5; i++) {
      join(1);
    }
    beat();
    beat();
    assertThat(node.count()).isEqualTo(6);
  }

  private NodeHeartbeat joinRemembering(Path file, List<String> warnings) {
    NodeCountFile state = new NodeCountFile(file, "redis://a weir", warnings::add);
    return new NodeHeartbeat(
        "weir", OptionalInt.empty(), state, commandSender, timer, warnings::add);
  }

  private static void await(Path file, int nodes) {
    Await.holds(
        nodes + " are kept",
        () -> {
          List<String> none = new ArrayList<>();
          return new NodeCountFile(file, "redis://a weir", none::add)
              .read()
              .equals(OptionalInt.of(nodes));
        });
  }

  @ParameterizedTest(name = "{0} beats fail: {1}")
  @CsvSource({"0, WITH_REDIS", "1, WITH_REDIS", "2, SLOWLY", "9, SLOWLY", "10, WITHOUT_REDIS"})
  void knowsWhetherRedisRepliedAtTheStart(int failing, NodeHeartbeat.Start start) {
    link.failing = failing > 0;
    NodeHeartbeat node = join(1);
    timer.moveTo(Duration.ZERO);
    for (int i = 1; i < failing; i++) {
      beat();
      assertThat(node.start()).isEqualTo(NodeHeartbeat.Start.WITHOUT_REDIS);
    }
    link.failing = false;
    beat();
    assertThat(node.start()).isEqualTo(start);
    link.failing = true;
    beat();
    assertThat(node.start()).isEqualTo(start);
  }

  @Test
  void numberIsUnknownUntilRedisReplies() {
    List<String> warnings = new ArrayList<>();
    link.failing = true;
    NodeHeartbeat node =
        new NodeHeartbeat("weir", OptionalInt.empty(), null, commandSender, timer, warnings::add);
    beat();
    assertThat(node.isKnown()).isFalse();
    assertThat(warnings).as("nothing depends on the number").isEmpty();
    node.need();
    beat();
    beat();
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0)).contains("nodes=N");
    link.failing = false;
    beat();
    assertThat(node.isKnown()).isTrue();
    assertThat(node.count()).isEqualTo(1);
    assertThat(warnings).hasSize(1);
  }

  /** As after a full disk. */
  @Test
  void fileIsWrittenOnceItCanBe(@TempDir Path directory) throws IOException {
    Path obstacle = Files.createFile(directory.resolve("state"));
    Path file = obstacle.resolve("nodes");
    List<String> warnings = new CopyOnWriteArrayList<>();
    joinRemembering(file, warnings).need();
    beat();
    Predicate<String> isOfWriting = warning -> warning.startsWith("cannot keep");
    Await.holds("it is warned of", () -> warnings.stream().anyMatch(isOfWriting));
    beat();
    Files.delete(obstacle);
    Await.holds(
        "it is kept",
        () -> {
          beat();
          return Files.exists(file);
        });
    await(file, 1);
    assertThat(warnings).as("once").filteredOn(isOfWriting).hasSize(1);
  }

  @Test
  void fileKeepsLargestNumberOfTenMinutes(@TempDir Path directory) {
    Path file = directory.resolve("made/nodes");
    List<String> warnings = new ArrayList<>();
    NodeHeartbeat node = joinRemembering(file, warnings);
    beat();
    assertThat(file).as("nothing depends on the number").doesNotExist();
    node.need();
    join(1);
    NodeHeartbeat third = join(1);
    beat();
    beat();
    await(file, 3);
    third.close();
    for (int i = 0; i < 590; i++) {
      beat();
    }
    assertThat(node.count()).isEqualTo(2);
    await(file, 3);
    for (int i = 0; i < 20; i++) {
      beat();
    }
    await(file, 2);
    link.failing = true;
    NodeHeartbeat again = joinRemembering(file, warnings);
    beat();
    assertThat(again.isKnown()).isTrue();
    assertThat(again.count()).isEqualTo(2);
    assertThat(warnings).isEmpty();
  }

  @Test
  void rememberedNumberHoldsUntilSixBeatsHaveFewer(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("nodes");
    Files.writeString(file, "weir nodes 1\nredis://a weir\n4\n");
    NodeHeartbeat node = joinRemembering(file, new ArrayList<>());
    for (int i = 0; i < 4; i++) {
      beat();
      assertThat(node.count()).isEqualTo(4);
    }
    beat();
    beat();
    assertThat(node.count()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "3",
        "weir nodes 1\nredis://a weir\n0\n",
        "weir nodes 1\nredis://a weir\n9999999\n",
        "weir nodes 1\nredis://a weir\n-1\n",
        "weir nodes 2\nredis://a weir\n3\n"
      })
  void damagedFileIsWarningAndReplaced(String text, @TempDir Path directory) throws Exception {
    Path file = directory.resolve("nodes");
    Files.writeString(file, text);
    List<String> warnings = new ArrayList<>();
    NodeHeartbeat node = joinRemembering(file, warnings);
    assertThat(node.isKnown()).isFalse();
    assertThat(warnings).hasSize(1);
    node.need();
    beat();
    await(file, 1);
  }

  @Test
  void numberOfAnotherStoreIsIgnored(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("nodes");
    Files.writeString(file, "weir nodes 1\nredis://b weir\n3\n");
    assertThat(joinRemembering(file, new ArrayList<>()).isKnown()).isFalse();
  }

  @Test
  void placeThatCannotBeWrittenIsOneWarning(@TempDir Path directory) throws Exception {
    Path blocked = directory.resolve("blocked");
    Files.writeString(blocked, "a file where a directory is to be");
    List<String> warnings = new CopyOnWriteArrayList<>();
    NodeHeartbeat node = joinRemembering(blocked.resolve("nodes"), warnings);
    int before = warnings.size();
    node.need();
    beat();
    Await.holds("a warning", () -> warnings.size() == before + 1);
    join(1);
    beat();
    beat();
    assertThat(node.count()).isEqualTo(2);
    assertThat(warnings).hasSize(before + 1);
  }

  @Test
  void closedNodeSendsNoHeartbeat() {
    NodeHeartbeat node = join(1);
    beat();
    node.close();
    long calls = link.calls;
    beat();
    beat();
    node.close();
    assertThat(link.calls).isEqualTo(calls);
    assertThat(redis.call("EXISTS", "weir:nodes")).isEqualTo(0L);
  }

  private long redisMillis() {
    List<?> time = (List<?>) redis.call("TIME");
    return Long.parseLong(time.get(0).toString()) * 1000
        + Long.parseLong(time.get(1).toString()) / 1000;
  }

  /** A link that waits for each reply. */
  private static final class SocketLink extends OneGateTransport {
    private final RespSocket socket;
    private boolean failing;
    private long calls;

    SocketLink(RedisProcess redis) {
      super(new SwitchableBreaker());
      this.socket = redis.connect();
    }

    @Override
    public void send(ScriptCall scriptCall) {
      calls++;
      if (failing) {
        scriptCall.fail(new RedisFailure(RedisFailure.Kind.DISCONNECTED, "away"));
        return;
      }
      List<byte[]> parts = new ArrayList<>();
      parts.add("EVAL".getBytes(StandardCharsets.US_ASCII));
      parts.add(scriptCall.script().text());
      parts.add(String.valueOf(scriptCall.keys().length).getBytes(StandardCharsets.US_ASCII));
      parts.addAll(List.of(scriptCall.keys()));
      parts.addAll(List.of(scriptCall.args()));
      List<?> reply = (List<?>) socket.call(parts.toArray(byte[][]::new));
      scriptCall.complete(reply.stream().mapToLong(each -> (Long) each).toArray());
    }

    @Override
    public void close() {
      socket.close();
    }
  }
}
