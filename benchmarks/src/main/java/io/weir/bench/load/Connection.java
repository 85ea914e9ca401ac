package io.weir.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection that is never without as many requests under way as it may have. */
abstract class Connection {
  private static final int READ_BYTES = 1 << 18;
  private static final int WRITE_BYTES = 1 << 18;

  private final SocketChannel channel;
  private final Tally tally;
  private long due;

  /** What was received and not yet understood, from position to limit. */
  private final ByteBuffer in = ByteBuffer.allocateDirect(READ_BYTES).flip();

  /** What is to be sent, up to its position. */
  private final ByteBuffer out = ByteBuffer.allocateDirect(WRITE_BYTES);

  Connection(int port, Tally tally) throws IOException {
    this.tally = tally;
    channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  final SocketChannel channel() {
    return channel;
  }

  final ByteBuffer out() {
    return out;
  }

  /** When the request under way was due, where they come by the clock. */
  final long due() {
    return due;
  }

  final void setDue(long due) {
    this.due = due;
  }

  final Tally tally() {
    return tally;
  }

  /** Puts requests into {@link #out} until no more may be under way. */
  abstract void ask();

  /** Takes one thing out of {@code in} if it is there as a whole. */
  abstract boolean take(ByteBuffer in) throws IOException;

  /** How many requests are under way. */
  abstract int underWay();

  /** Takes what has come; asks again as long as {@code asking}. */
  final void receive(boolean asking) throws IOException {
    in.compact();
    int length = channel.read(in);
    in.flip();
    if (length < 0) {
      throw new IOException("the server has closed a connection");
    }
    while (take(in)) {
      // Until nothing whole is left.
    }
    if (in.remaining() == in.capacity()) {
      throw new IOException("an answer of more than " + READ_BYTES + " bytes");
    }
    if (asking) {
      ask();
    }
    send();
  }

  /** Sends what is to be sent; all of it, because so much always fits. */
  final void send() throws IOException {
    out.flip();
    while (out.hasRemaining()) {
      if (channel.write(out) == 0) {
        Thread.onSpinWait();
      }
    }
    out.clear();
  }

  final void close() throws IOException {
    channel.close();
  }
}
