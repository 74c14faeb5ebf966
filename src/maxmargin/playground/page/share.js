export class Share { constructor() {} }
