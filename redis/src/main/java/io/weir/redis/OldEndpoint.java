package io.weir.redis;

import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.netty.channel.Channel;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a connection that a client before version 7 has made, such as an application on
 * Spring Boot 3.5 brings along: it cannot be told to make endpoints of ours, which let us at it.
 */
final class OldEndpoint {
  private static final Field CHANNEL = field();

  private OldEndpoint() {}

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
