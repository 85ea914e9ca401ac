package io.weir.server.gateway.http1;

import io.vertx.core.internal.ContextInternal;
import java.net.BindException;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Tries the addresses of a server in turn for one connection: each once, and only a few. Confined
 * to an event loop.
 */
public abstract class AddressAttempts implements HostResolver.ResolveCallback {
  private static final int MAX_ATTEMPTS = 3;

  private final HostResolver hostResolver;
  private final List<InetAddress> tried = new ArrayList<>(MAX_ATTEMPTS);

  /** Does not connect yet. */
  protected AddressAttempts(HostResolver hostResolver) {
    this.hostResolver = hostResolver;
  }

  /** Resolves the name and tries the first address. */
  public final void begin(ContextInternal context) {
    hostResolver.find(context, this);
  }

  /**
   * Whether the connection is still wanted. Called before each address, because each may take as
   * long as the first.
   */
  protected abstract boolean isWaiting();

  /** Connects to an address; must call {@link #failed} if that fails. */
  protected abstract void go(InetAddress address);

  /** No address could be connected to. */
  protected abstract void end(Throwable cause);

  @Override
  public final void found(InetAddress address) {
    if (isWaiting()) {
      tried.add(address);
      go(address);
    } else {
      end(new CancellationException("the connection is no longer needed"));
    }
  }

  @Override
  public final void notFound(Throwable cause) {
    end(cause);
  }

  /** Tries another address after a failure, if that may help. */
  public final void failed(InetAddress address, Throwable cause) {
    InetAddress other = null;
    if (isOfAddress(cause)) {
      hostResolver.leaveOut(address);
      other = tried.size() < MAX_ATTEMPTS ? hostResolver.other(tried) : null;
    }
    if (other == null) {
      end(cause);
    } else {
      found(other);
    }
  }

  /**
   * Whether another address may succeed. It would not if this machine is out of files or ports, or
   * if the server was reached but is not trusted.
   */
  static boolean isOfAddress(@Nullable Throwable cause) {
    return cause instanceof SocketException
        && !(cause instanceof BindException)
        && !(cause.getCause() instanceof BindException); // Netty wraps it to add the address
  }
}
