package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.rules.Domain;
import io.weir.rules.RuleSet;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReplayPipelineTest {
  private static final RuleSet NO_RULES = RuleSet.of(new Domain("default", Map.of(), List.of()));

  @Test
  void readsNoMoreAfterAFailure() throws IOException {
    assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "all is done in turns");
    SlowStream stream = new SlowStream();
    assertThatThrownBy(
            () -> {
              try (Trace trace = Trace.open("t", stream)) {
                TraceReplay.by(NO_RULES)
                    .decisionsTo(
                        line -> {
                          await(stream.isWaiting);
                          throw new IOException("no room");
                        })
                    .run(trace);
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessage("no room");
    assertThat(stream.wasClosedWhileReading).isFalse();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Gives two blocks, then waits until it is interrupted, and a moment more. */
  private static final class SlowStream extends InputStream {
    private static final byte[] TEXT =
        ("time\n" + "1\n".repeat(1 << 17)).getBytes(StandardCharsets.UTF_8);

    private final CountDownLatch isWaiting = new CountDownLatch(1);
    private volatile boolean isReading;
    private volatile boolean wasClosedWhileReading;
    private int at;

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0];
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      int count = Math.min(length, TEXT.length - at);
      if (count > 0) {
        System.arraycopy(TEXT, at, bytes, offset, count);
        at += count;
        return count;
      }
      isReading = true;
      isWaiting.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        linger();
      }
      isReading = false;
      return -1;
    }

    private static void linger() {
      try {
        Thread.sleep(200);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      wasClosedWhileReading |= isReading;
    }
  }
}
