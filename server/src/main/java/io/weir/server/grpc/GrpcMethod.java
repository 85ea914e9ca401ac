package io.weir.server.grpc;

/**
 * A gRPC method.
 *
 * @param takes how many messages a call sends
 * @param handler the handler of each message, which responds now or later
 */
public record GrpcMethod(Takes takes, MessageHandler handler) {
  /** How many messages a call sends. */
  public enum Takes {
    /** Exactly one, handled when the request is complete. */
    ONE,
    /** Any number. Each is handled when it arrives, and the call ends when the client ends it. */
    MANY
  }

  /** The handler of a message. */
  @FunctionalInterface
  public interface MessageHandler {
    /**
     * Handles a message.
     *
     * @param message valid until this method returns
     * @throws GrpcException to end the call with its status
     */
    void handle(GrpcCall call, ProtoReader message);
  }

  /** A method that takes one message. */
  public static GrpcMethod one(MessageHandler handler) {
    return new GrpcMethod(Takes.ONE, handler);
  }

  /** A method that takes any number of messages. */
  public static GrpcMethod many(MessageHandler handler) {
    return new GrpcMethod(Takes.MANY, handler);
  }
}
