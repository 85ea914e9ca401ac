package io.weir.redis;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A primary, its replicas, and whatever else is to be closed after a test. */
abstract class ReplicatedSuite {
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  <T extends AutoCloseable> T opened(T closeable) {
    open.add(closeable);
    return closeable;
  }

  RedisProcess primary() {
    return opened(RedisProcess.start());
  }

  RedisProcess replicaOf(RedisProcess primary) {
    RedisProcess replica = opened(RedisProcess.start("replicaof 127.0.0.1 " + primary.port()));
    Await.holds(
        "the replica follows",
        () -> primary.info("replication", "slave0").contains("state=online"));
    return replica;
  }
}
