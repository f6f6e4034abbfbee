"""One filter by hand: "ab", bigrams, two bits a token, doubleHash, 64 bits. Python's own library only."""

import hashlib
import hmac

secret = b"a secret that is long enough"
extracted = hmac.new(bytes(32), secret, hashlib.sha256).digest()
block, stream = b"", b""
for number in range(1, 5):
    block = hmac.new(extracted, block + bytes([number]), hashlib.sha256).digest()
    stream += block
sha1_key, md5_key = stream[:64], stream[64:128]
places = set()
for token in [b" a", b"ab", b"b "]:
    one = int.from_bytes(hmac.new(sha1_key, token, hashlib.sha1).digest(), "big") % 64
    other = int.from_bytes(hmac.new(md5_key, token, hashlib.md5).digest(), "big") % 64
    print(token, one, (one + other) % 64)
    places |= {one, (one + other) % 64}
print(sorted(places))
