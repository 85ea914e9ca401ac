package io.weir.redis;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Resolves names with Java's resolver, like the rest of the process: with its hosts file and cache.
 *
 * <p>That may block while a name server is silent, so each lookup has a thread of its own, and no
 * I/O thread waits for it. Netty's own resolver would not block. But it opens a socket for each I/O
 * thread, even for addresses, and sometimes leaves one open when the store is closed.
 */
final class JavaNameResolver extends AddressResolverGroup<InetSocketAddress> {
  @Override
  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
    return new Lookup(executor).asAddressResolver();
  }

  private static final class Lookup extends InetNameResolver {
    Lookup(EventExecutor executor) {
      super(executor);
    }

    @Override
    protected void doResolve(String host, Promise<InetAddress> found) {
      find(
          host,
          found,
          () -> {
            InetAddress address = InetAddress.getByName(host);
            found.trySuccess(address);
          });
    }

    @Override
    protected void doResolveAll(String host, Promise<List<InetAddress>> found) {
      find(
          host,
          found,
          () -> {
            List<InetAddress> addresses = List.of(InetAddress.getAllByName(host));
            found.trySuccess(addresses);
          });
    }

    private static void find(String host, Promise<?> found, Search search) {
      if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
        run(search, found);
        return;
      }
      Thread thread = new Thread(() -> run(search, found), "weir-redis-lookup");
      thread.setDaemon(true);
      thread.start();
    }

    private static void run(Search search, Promise<?> found) {
      try {
        search.run();
      } catch (UnknownHostException | RuntimeException e) {
        found.tryFailure(e);
      }
    }
  }

  /** A lookup by Java's resolver. */
  private interface Search {
    void run() throws UnknownHostException;
  }
}
