package io.weir.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replicas with Sentinels, and clusters: whether they are what they seem. */
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
@Tag("slow")
@Timeout(120)
class RedisGroupsTest {
  static List<RedisProgram> programs() {
    return Stream.of(Optional.of(RedisProgram.jar()), RedisProgram.system(), RedisProgram.named())
        .flatMap(Optional::stream)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void sentinelsReplaceAPrimaryThatIsKilled(RedisProgram program) {
    long start = System.nanoTime();
    try (RedisReplicas group = RedisReplicas.start(program, 1)) {
      print(program + " with Sentinels up", start);
      RedisProcess first = group.primary();
      assertThat(first).isSameAs(group.servers().get(0));
      first.call("SET", "key", "value");
      Await.holds("replicated", () -> "value".equals(group.servers().get(1).call("GET", "key")));

      start = System.nanoTime();
      first.kill();
      RedisProcess second = group.failOver(first);
      print(program + " failed over", start);
      assertThat(second.call("SET", "key", "other")).isEqualTo("OK");

      group.rejoin(first);
      assertThat(first.call("GET", "key")).isEqualTo("other");
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void slotsMoveWithTheirKeys(RedisProgram program) {
    long start = System.nanoTime();
    try (RedisCluster cluster = RedisCluster.start(program)) {
      print(program + " cluster up", start);
      int slot = cluster.slot("{a}1");
      RedisProcess owner = cluster.owner(slot);
      for (int i = 0; i < 25; i++) {
        owner.call("SET", "{a}" + i, "v" + i);
      }
      RedisProcess target = owner == cluster.shard(0) ? cluster.shard(1) : cluster.shard(0);
      assertThatThrownBy(() -> target.call("GET", "{a}1")).hasMessageStartingWith("MOVED");

      cluster.move(slot, target);

      assertThat(target.call("GET", "{a}24")).isEqualTo("v24");
      assertThatThrownBy(() -> owner.call("GET", "{a}1")).hasMessageStartingWith("MOVED");
      assertThat(cluster.owner(slot)).isSameAs(target);

      cluster.flush();
      assertThat(target.call("GET", "{a}24")).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void aReplicaTakesItsShardOver(RedisProgram program) {
    long start = System.nanoTime();
    try (RedisCluster cluster = RedisCluster.start(program, 3, 1)) {
      print(program + " cluster with replicas up", start);
      int slot = cluster.slot("a");
      RedisProcess owner = cluster.owner(slot);
      start = System.nanoTime();
      owner.kill();
      Await.holds("another owner", () -> cluster.owner(slot) != owner);
      print(program + " shard failed over", start);
      Await.holds("it replies", () -> "OK".equals(cluster.owner(slot).call("SET", "a", "1")));
    }
  }

  private static void print(String what, long start) {
    System.out.println("   " + what + " in " + (System.nanoTime() - start) / 1_000_000 + " ms");
  }
}
