package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Which replies are passed on, by what Redis reports of its replicas. Its WAIT is that of Redis
 * 7.2: it waits for the last write of the connection, and other connections have written since.
 */
class AcknowledgementsTest {
  private static final long OFFSET = 100;
  private static final RedisFailure LOST = new RedisFailure(RedisFailure.Kind.DISCONNECTED, "lost");

  private final List<String> warnings = new ArrayList<>();
  private long nanos;
  private final DataIntegrity dataIntegrity =
      new DataIntegrity(() -> nanos, () -> 0, 1, 10_000_000_000L, warnings::add);
  private final Acknowledgements acknowledgements = new Acknowledgements(dataIntegrity, "weir", 1);
  private final List<String> sent = new ArrayList<>();
  private final List<CompletableFuture<@Nullable Object>> replies = new ArrayList<>();
  private final List<String> ends = new ArrayList<>();

  @BeforeEach
  void charge() {
    acknowledgements.wrote();
    request();
    assertThat(takeSent()).containsExactly("era", "WAIT 1", "INFO replication");
  }

  private void request() {
    acknowledgements.request(
        words -> {
          String name = text(words[0]);
          sent.add(
              switch (name) {
                case "EVAL" -> text(words[3]).replace("weir:", "");
                default -> name + " " + text(words[1]);
              });
          CompletableFuture<@Nullable Object> reply = new CompletableFuture<>();
          replies.add(reply);
          return reply;
        });
  }

  private static String text(byte[] word) {
    return new String(word, StandardCharsets.US_ASCII);
  }

  private List<String> takeSent() {
    List<String> all = List.copyOf(sent);
    sent.clear();
    return all;
  }

  private void reply(Object reply) {
    replies.remove(0).complete(reply);
  }

  /** Of a look after calls of which each granted so much. */
  private void held(long... granted) {
    for (long each : granted) {
      acknowledgements.hold(new Take(), new long[] {each, 1});
    }
    reply(List.of(5L, 1L, 2L, 0L, "noeviction", OFFSET));
  }

  private final class Take extends ScriptCall {
    Take() {
      super(Script.of("probe"), new byte[][] {{1}}, new byte[0][]);
    }

    @Override
    boolean mustBeCopied(long[] reply) {
      return reply[0] > 0;
    }

    @Override
    void onReply(long[] reply) {
      ends.add(reply[0] > 0 ? "granted" : "refused");
    }

    @Override
    void onFailure(RedisFailure redisFailure) {
      ends.add(redisFailure.message());
    }
  }

  private static String replicas(long... offsets) {
    return replicasOf("h", offsets);
  }

  private static String replicasOf(String history, long... offsets) {
    StringBuilder info =
        new StringBuilder(
            "role:master\r\nmaster_replid:%s\r\nmaster_repl_offset:200\r\n".formatted(history));
    for (int i = 0; i < offsets.length; i++) {
      info.append(
          "slave%d:ip=a,port=6379,state=online,offset=%d,lag=0\r\n".formatted(i, offsets[i]));
    }
    return info.toString();
  }

  @Test
  void grantThatTheReplicaHasIsPassedOn() {
    held(1, 0);
    reply(1L);
    reply(replicas(OFFSET));
    assertThat(ends).containsExactly("granted", "refused");
    assertThat(dataIntegrity.history()).isEqualTo(new DataIntegrity.History("h", OFFSET));
  }

  @Test
  void refusalsNeedNoReplica() {
    held(0, 0);
    reply(1L);
    reply(replicas(OFFSET - 1));
    assertThat(ends).containsExactly("refused", "refused");
    assertThat(dataIntegrity.history())
        .as("not copied")
        .isEqualTo(new DataIntegrity.History("h", -1));
    request();
    assertThat(takeSent()).isEmpty();
  }

  /** Nothing is known of how much was copied, but which history it was. */
  @Test
  void historyThatWasSeenWithoutReplicasMustGoOn() {
    held(1);
    reply(0L);
    reply(replicas());
    acknowledgements.wrote();
    request();
    held(1);
    reply(1L);
    reply(replicasOf("other", OFFSET).replace("role", "master_replid2:former\r\nrole"));
    assertThat(warnings).anyMatch(warning -> warning.contains("does not continue the history"));
  }

  /** As it does for its first replica, which is not there yet when that is seen. */
  @Test
  void newReplicationIdOfTheSameDataIsAccepted() {
    held(0);
    reply(1L);
    reply(replicas());
    for (long offset : new long[] {OFFSET - 1, OFFSET}) {
      acknowledgements.wrote();
      request();
      held(0);
      reply(1L);
      reply(replicasOf("other", offset));
      assertThat(dataIntegrity.history().id()).isEqualTo("other");
    }
    assertThat(dataIntegrity.history().offset()).isEqualTo(OFFSET);
    assertThat(warnings).noneMatch(warning -> warning.contains("history"));
  }

  /** By the same clock as everything else: repl-backlog-ttl may have gone by. */
  @Test
  void lateNewReplicationIdIsRejected() {
    held(0);
    reply(1L);
    reply(replicas());
    nanos += 1_000_000_001L;
    acknowledgements.wrote();
    request();
    held(0);
    reply(1L);
    reply(replicasOf("other", OFFSET));
    assertThat(warnings).anyMatch(warning -> warning.contains("does not continue the history"));
  }

  @Test
  void grantThatComesTooLateByTheSameClockFails() {
    held(1);
    nanos += 10_000_000_001L;
    reply(1L);
    reply(replicas(OFFSET));
    assertThat(ends).containsExactly("it took too long until all was acknowledged");
  }

  @Test
  void grantIsWaitedForOnceMoreAfterAWriteIfWaitEndsTooSoon() {
    held(1, 0);
    reply(1L);
    reply(replicas(OFFSET - 1));
    assertThat(ends).isEmpty();
    request();
    assertThat(takeSent()).containsExactly("probe", "WAIT 1", "INFO replication");
    reply(List.of(1L, 1L));
    reply(1L);
    reply(replicas(OFFSET + 50));
    assertThat(ends).containsExactly("granted", "refused");
    assertThat(dataIntegrity.history()).isEqualTo(new DataIntegrity.History("h", OFFSET));
  }

  /** Otherwise refusals would keep the breaker closed while every grant fails. */
  @Test
  void refusalFailsIfTheReplicaDoesNotAcknowledge() {
    held(0);
    reply(0L);
    reply(replicas(OFFSET - 1));
    assertThat(ends).containsExactly("0 of 1 replicas have acknowledged the charge");
  }

  @Test
  void grantFailsIfTheReplicaDoesNotAcknowledge() {
    held(1);
    reply(0L);
    reply(replicas(OFFSET - 1));
    assertThat(ends).containsExactly("0 of 1 replicas have acknowledged the charge");
    assertThat(dataIntegrity.history()).isEqualTo(new DataIntegrity.History("h", -1));
  }

  @Test
  void grantFailsIfItCannotWriteAnything() {
    held(1);
    reply(1L);
    reply(replicas(OFFSET - 1));
    request();
    reply(new ErrorReply("OOM command not allowed"));
    reply(1L);
    reply(replicas(OFFSET));
    assertThat(ends).hasSize(1);
    assertThat(ends.get(0)).contains("OOM");
  }

  @Test
  void replicasOfOneAddressAreNamedAsTheCause() {
    Acknowledgements two = new Acknowledgements(dataIntegrity, "weir", 2);
    List<CompletableFuture<@Nullable Object>> all = new ArrayList<>();
    two.wrote();
    two.request(
        words -> {
          all.add(new CompletableFuture<>());
          return all.get(all.size() - 1);
        });
    two.hold(new Take(), new long[] {1, 1});
    all.get(0).complete(List.of(5L, 1L, 2L, 0L, "noeviction", OFFSET));
    all.get(1).complete(0L);
    all.get(2).complete(replicas(OFFSET, OFFSET));
    assertThat(ends).hasSize(1);
    assertThat(ends.get(0))
        .startsWith(
            "1 of 2 replicas have acknowledged the charge; there are 2 connections from one address")
        .contains("replica-announce-ip");
  }

  @Test
  void retryFailsWithItsConnection() {
    held(1);
    reply(1L);
    reply(replicas(OFFSET - 1));
    assertThat(acknowledgements.isAwaited()).isTrue();
    acknowledgements.close(LOST);
    assertThat(ends).containsExactly("lost");
    assertThat(acknowledgements.isAwaited()).isFalse();
  }
}
