package io.weir.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection that always has as many requests in flight as it may. */
abstract class Connection {
  private static final int READ_BYTES = 1 << 18;
  private static final int WRITE_BYTES = 1 << 18;

  private final SocketChannel channel;
  private final ResponseCounter responseCounter;
  private long due;

  /** Received but not yet parsed, from position to limit. */
  private final ByteBuffer in = ByteBuffer.allocateDirect(READ_BYTES).flip();

  /** To be sent, up to its position. */
  private final ByteBuffer out = ByteBuffer.allocateDirect(WRITE_BYTES);

  Connection(int port, ResponseCounter responseCounter) throws IOException {
    this.responseCounter = responseCounter;
    channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  final SocketChannel channel() {
    return channel;
  }

  final ByteBuffer out() {
    return out;
  }

  /** When the request in flight was due, in an open loop. */
  final long due() {
    return due;
  }

  final void setDue(long due) {
    this.due = due;
  }

  final ResponseCounter responseCounter() {
    return responseCounter;
  }

  /** Writes requests into {@link #out} until no more may be in flight. */
  abstract void writeRequests();

  /** Takes one complete item out of {@code in}, if there is one. */
  abstract boolean take(ByteBuffer in) throws IOException;

  /** The number of requests in flight. */
  abstract int underWay();

  /** Takes received data; sends further requests while {@code isRunning}. */
  final void receive(boolean isRunning) throws IOException {
    in.compact();
    int length = channel.read(in);
    in.flip();
    if (length < 0) {
      throw new IOException("the server has closed a connection");
    }
    while (take(in)) {
      // Until no complete item is left.
    }
    if (in.remaining() == in.capacity()) {
      throw new IOException("a response of more than " + READ_BYTES + " bytes");
    }
    if (isRunning) {
      writeRequests();
    }
    send();
  }

  /** Sends the pending data; it always fits as a whole. */
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
