/** Buckets in Redis: limits that hold across machines. */
module io.weir.redis {
  requires transitive io.weir;
  requires static org.jspecify;
  requires lettuce.core;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.resolver;
  requires io.netty.transport;
  requires java.logging;

  exports io.weir.redis;

  provides io.weir.Store.Provider with
      io.weir.redis.RedisProvider;
}
