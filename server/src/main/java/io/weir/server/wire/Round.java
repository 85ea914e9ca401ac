package io.weir.server.wire;

import io.vertx.core.internal.ContextInternal;
import java.net.BindException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of a server, one after the other, for one who wants a connection to it: each once,
 * and not many of them. On the event loop.
 */
public abstract class Round implements Name.Finder {
  private static final int MOST = 3;

  private final Name name;
  private final List<InetAddress> tried = new ArrayList<>(MOST);

  /** Nothing is tried yet. */
  protected Round(Name name) {
    this.name = name;
  }

  /** Begins. */
  public final void begin(ContextInternal context) {
    name.find(context, this);
  }

  /**
   * Whether somebody still waits for the connection. Asked before each address, which may take as
   * long as the first.
   */
  protected abstract boolean isWaiting();

  /** Connects to an address; {@link #failed} must be told if that cannot be. */
  protected abstract void go(InetAddress address);

  /** There is no connection. */
  protected abstract void end(Throwable cause);

  @Override
  public final void found(InetAddress address) {
    if (isWaiting()) {
      tried.add(address);
      go(address);
    } else {
      end(new CancellationException("nobody waits for the connection"));
    }
  }

  @Override
  public final void notFound(Throwable cause) {
    end(cause);
  }

  /** There was no connection to an address: another one is tried, if that can help. */
  public final void failed(InetAddress address, Throwable cause) {
    InetAddress other = null;
    if (isOfAddress(cause)) {
      name.leaveOut(address);
      other = tried.size() < MOST ? name.other(tried) : null;
    }
    if (other == null) {
      end(cause);
    } else {
      found(other);
    }
  }

  /**
   * Whether another address may do better: not if this machine has no files or ports left, nor if
   * the server was there and is not to be trusted.
   */
  static boolean isOfAddress(@Nullable Throwable cause) {
    return cause instanceof SocketException
        && !(cause instanceof BindException)
        && !(cause.getCause() instanceof BindException); // Netty tells where it was bound for
  }
}
