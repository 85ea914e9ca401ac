package io.weir.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.vertx.core.buffer.Buffer;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Messages, however they are cut on their way. */
class MessageDeframerTest {
  private static final int MAX_BYTES = 64 * 1024;

  private static Buffer framed(byte[] message) {
    return Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);
  }

  @Test
  void messagesComeWholeHoweverTheyAreCut() {
    Random random = new Random(5);
    for (int round = 0; round < 300; round++) {
      List<byte[]> sent = new ArrayList<>();
      Buffer wire = Buffer.buffer();
      for (int i = random.nextInt(4); i >= 0; i--) {
        byte[] message = new byte[random.nextInt(300)];
        random.nextBytes(message);
        sent.add(message);
        wire.appendBuffer(framed(message));
      }
      MessageDeframer messageDeframer = new MessageDeframer(MAX_BYTES, false);
      List<ProtoReader> cut = new ArrayList<>();
      for (int at = 0; at < wire.length(); ) {
        int to = Math.min(wire.length(), at + 1 + random.nextInt(1 + random.nextInt(200)));
        messageDeframer.add(wire.getBuffer(at, to));
        for (ProtoReader next = messageDeframer.next();
            next != null;
            next = messageDeframer.next()) {
          cut.add(next);
        }
        at = to;
      }
      // Read only now: what comes later must not write over what came before.
      List<byte[]> received = cut.stream().map(ProtoReader::rest).toList();
      assertThat(received).as("round %d", round).containsExactlyElementsOf(sent);
      assertThat(messageDeframer.rest()).isZero();
    }
  }

  @Test
  void aMessageThatComesByteByByteIsNotCopiedAtEach() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Buffer wire = framed(new byte[MAX_BYTES]);
    MessageDeframer messageDeframer = new MessageDeframer(MAX_BYTES, false);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < wire.length(); i++) {
      messageDeframer.add(wire.getBuffer(i, i + 1));
    }
    assertThat(messageDeframer.next()).isNotNull();
    // Copied at each byte it would be two thousand million.
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000_000);
  }
}
