package io.weir.redis;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.netty.channel.Channel;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * Finds the channel of a connection by a client before version 7, such as an application on Spring
 * Boot 3.5 has. Such a client does not accept custom endpoints, which expose the channel.
 */
final class Lettuce6Endpoint {
  private static final Field CHANNEL = field();

  private Lettuce6Endpoint() {}

  private static Field field() {
    try {
      Field field = DefaultEndpoint.class.getDeclaredField("channel");
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException("this version of the Redis client is not known", e);
    }
  }

  static @Nullable Channel channel(RedisChannelWriter writer) {
    try {
      return (Channel) CHANNEL.get(writer);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("this version of the Redis client is not known", e);
    }
  }
}
